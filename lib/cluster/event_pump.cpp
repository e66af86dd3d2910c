#include "cluster/event_pump.hpp"

#include <utility>

namespace convoy {

EventPump::EventPump(boost::asio::io_context& io, Machine machine)
    : io_(io), machine_(std::move(machine)), timer_(io) {}

void EventPump::begin(const std::function<void()>& first) {
    handling_ = true;  // until handle_all
    first();
    handle_all();
}

void EventPump::run() {
    while (true) {
        try {
            io_.run();
            return;
        } catch (...) {
            note_bug();
            handle_all();
        }
    }
}

void EventPump::deliver(MembershipEvent event) {
    events_.push_back(std::move(event));
    if (!handling_) handle_all();
}

void EventPump::note_bug() {
    if (bug_) return;
    bug_ = std::current_exception();
    events_.emplace_back(event::LauncherFailed{});
}

void EventPump::handle_all() {
    handling_ = true;
    do {
        while (!events_.empty()) {
            auto event = std::move(events_.front());
            events_.pop_front();
            try {
                machine_.handle(std::move(event));
            } catch (...) {
                note_bug();
            }
        }
    } while (wants_to_settle() || !events_.empty());
    handling_ = false;
    machine_.rest();
    wait_for_time();
}

bool EventPump::wants_to_settle() {
    if (bug_) return false;
    try {
        return machine_.settle();
    } catch (...) {
        note_bug();
        return false;
    }
}

void EventPump::wait_for_time() {
    const auto due = machine_.next_due();
    if (!due) return;
    timer_.expires_at(*due);
    timer_.async_wait([this](const boost::system::error_code& cancelled) {
        if (!cancelled) deliver(event::TimePassed{});
    });
}

}  // namespace convoy
