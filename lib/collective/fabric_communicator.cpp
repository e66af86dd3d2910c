#include "collective/fabric_communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <future>
#include <utility>

#include "base/error.hpp"

namespace convoy {
namespace asio = boost::asio;

FabricCommunicator::FabricCommunicator(IoThread& io, std::unique_ptr<Fabric> fabric,
                                       std::function<void(std::exception_ptr)> on_failure)
    : io_(io), fabric_(std::move(fabric)), on_failure_(std::move(on_failure)) {}

FabricCommunicator::~FabricCommunicator() {
    end_all();
    std::promise<void> gone;  // the fabric's timer belongs to the network thread, so it is destroyed there
    asio::post(fabric_->executor(), [this, &gone] {
        fabric_.reset();
        gone.set_value();
    });
    gone.get_future().wait();
}

Ticket FabricCommunicator::start(ReduceBuffer buffer, const Exchange& exchange) {
    const auto ticket = enqueue(buffer, exchange.options);
    io_.resume();
    return ticket;
}

CollectiveTimes FabricCommunicator::run(ReduceBuffer buffer, const Exchange& exchange) {
    const auto ticket = enqueue(buffer, exchange.options);
    if (!io_.run_until([&] { return over(ticket); }, [this] { return busy(); })) io_.resume();
    return wait(ticket);
}

Ticket FabricCommunicator::enqueue(ReduceBuffer buffer, const AllReduceOptions& options) {
    const std::lock_guard lock(mutex_);
    if (cause_) std::rethrow_exception(cause_);
    const Ticket ticket{next_ticket_++};
    queue_.push_back({ticket, buffer, options, Clock::now()});
    unclaimed_.emplace(ticket, std::nullopt);
    if (!std::exchange(running_, true)) asio::co_spawn(fabric_->executor(), run_jobs(), asio::detached);
    return ticket;
}

bool FabricCommunicator::over(Ticket ticket) {
    const std::lock_guard lock(mutex_);
    return unclaimed_.at(ticket).has_value() || (cause_ && !running_);
}

CollectiveTimes FabricCommunicator::wait(Ticket ticket) {
    std::unique_lock lock(mutex_);
    const auto found = unclaimed_.find(ticket);
    if (found == unclaimed_.end()) {
        throw InternalError(
            fmt::format("collective {} is not under way", static_cast<std::uint64_t>(ticket)));
    }
    changed_.wait(lock, [&] { return found->second.has_value() || (cause_ && !running_); });
    const auto times = found->second;
    unclaimed_.erase(found);
    if (!times) std::rethrow_exception(cause_);
    return *times;
}

void FabricCommunicator::drain() noexcept {
    {
        const std::lock_guard lock(mutex_);
        const auto finished = [](const auto& collective) { return collective.second.has_value(); };
        if (std::ranges::all_of(unclaimed_, finished)) return;
    }
    end_all();
}

bool FabricCommunicator::busy() {
    const std::lock_guard lock(mutex_);
    return running_;
}

void FabricCommunicator::end_all() {
    abort(std::make_exception_ptr(NodeLostError("this node has closed its links")));
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !running_; });
}

Traffic FabricCommunicator::traffic() const {
    return {.sent_bytes = fabric_->sent_bytes(), .received_bytes = fabric_->received_bytes()};
}

void FabricCommunicator::abort(std::exception_ptr error) {
    fail(std::move(error));
    asio::post(fabric_->executor(), [this] {
        if (fabric_) fabric_->close();
    });
}

asio::awaitable<void> FabricCommunicator::run_jobs() {
    while (const auto job = take()) {
        try {
            auto times = co_await convoy::all_reduce(*fabric_, job->buffer, job->options);
            times.started = job->started;
            finish(job->ticket, times);
        } catch (...) {
            fail(std::current_exception());
        }
    }
}

std::optional<FabricCommunicator::Job> FabricCommunicator::take() {
    const std::lock_guard lock(mutex_);
    if (cause_) queue_.clear();
    if (queue_.empty()) {
        running_ = false;
        changed_.notify_all();
        return std::nullopt;
    }
    const Job job = queue_.front();
    queue_.pop_front();
    return job;
}

void FabricCommunicator::finish(Ticket ticket, const CollectiveTimes& times) {
    const std::lock_guard lock(mutex_);
    unclaimed_.at(ticket) = times;
    changed_.notify_all();
}

void FabricCommunicator::fail(std::exception_ptr error) {
    {
        const std::lock_guard lock(mutex_);
        changed_.notify_all();
        if (cause_) return;
        cause_ = error;
    }
    if (on_failure_) on_failure_(std::move(error));
}

}  // namespace convoy
