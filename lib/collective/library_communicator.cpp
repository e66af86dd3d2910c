#include "collective/library_communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace convoy {
namespace {

/// The tickets of sums by the library have this bit, and others have not: no run starts so many exchanges.
constexpr std::uint64_t by_library = std::uint64_t{1} << 63U;

bool is_by_library(Ticket ticket) {
    return (static_cast<std::uint64_t>(ticket) & by_library) != 0;
}

}  // namespace

LibraryCommunicator::LibraryCommunicator(Communicator& own, std::unique_ptr<LibraryAllReduce> library,
                                         Options options)
    : own_(own),
      library_(std::move(library)),
      options_(std::move(options)),
      last_began_(Clock::now()),
      next_ticket_(by_library),
      thread_([this] { work(); }) {
    std::unique_lock lock(mutex_);
    wait_until(lock, "MPI_Init_thread", [this] { return connected_ || cause_; });
    if (!cause_) return;
    lock.unlock();
    thread_.join();
    std::rethrow_exception(cause_);
}

LibraryCommunicator::~LibraryCommunicator() {
    drain();
    {
        const std::scoped_lock lock(mutex_);
        ending_ = true;
        changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
}

void LibraryCommunicator::work() {
    if (!carry_out([this] { library_->begin(); })) return;
    std::unique_lock lock(mutex_);
    connected_ = true;
    changed_.notify_all();
    while (true) {
        changed_.wait(lock, [this] { return ending_ || cause_ || finishing_ || !queue_.empty(); });
        if (ending_ || cause_) return;
        if (queue_.empty()) break;
        const auto sum = queue_.front();
        queue_.pop_front();
        running_ = sum.ticket;
        last_began_ = Clock::now();
        const auto began = last_began_;
        changed_.notify_all();
        lock.unlock();
        const bool is_done = carry_out([&] { library_->sum(sum.values); });
        const auto finished = Clock::now();
        lock.lock();
        running_.reset();
        if (is_done) {
            done_[sum.ticket] = {.started = sum.started,
                                 .began = began,
                                 .peers_began = began,
                                 .finished = finished,
                                 .sent_bytes = std::nullopt,
                                 .received_bytes = std::nullopt};
        }
        changed_.notify_all();
    }
    lock.unlock();
    carry_out([this] { library_->end(); });
}

bool LibraryCommunicator::carry_out(const std::function<void()>& call) {
    try {
        call();
        return true;
    } catch (...) {
        fail(std::current_exception());
        return false;
    }
}

void LibraryCommunicator::fail(std::exception_ptr error) {
    const std::scoped_lock lock(mutex_);
    if (!cause_) cause_ = std::move(error);
    queue_.clear();
    changed_.notify_all();
}

template <typename Condition>
void LibraryCommunicator::wait_until(std::unique_lock<std::mutex>& lock, const char* doing,
                                     Condition condition) {
    const auto since = Clock::now();
    while (!condition()) {
        const auto until = std::max(since, last_began_) + options_.deadline;
        if (changed_.wait_until(lock, until) == std::cv_status::no_timeout || condition()) continue;
        if (Clock::now() < std::max(since, last_began_) + options_.deadline) continue;
        lock.unlock();
        options_.give_up(DeadlineError(fmt::format("{} was not done within {} s; a node is slow, or lost",
                                                   doing, Seconds(options_.deadline).count())));
        throw InternalError("a node goes on without its sum");
    }
}

Ticket LibraryCommunicator::start(ReduceBuffer buffer, const Exchange& exchange) {
    if (!convoy::is_by_library(exchange)) return own_.start(buffer, exchange);
    const auto* values = std::get_if<std::span<float>>(&buffer);
    if (values == nullptr || !exchange.group.empty() || exchange.options.wire_type != WireType::float32)
        throw InternalError("MPI sums floats over all ranks, and nothing else");
    const std::scoped_lock lock(mutex_);
    if (cause_) std::rethrow_exception(cause_);
    const Ticket ticket{next_ticket_++};
    queue_.push_back({ticket, *values, Clock::now()});
    changed_.notify_all();
    return ticket;
}

ExchangeTimes LibraryCommunicator::wait(Ticket ticket) {
    if (!is_by_library(ticket)) return own_.wait(ticket);
    std::unique_lock lock(mutex_);
    if (static_cast<std::uint64_t>(ticket) >= next_ticket_)
        throw InternalError("a wait for a sum that was not started");
    wait_until(lock, "MPI_Allreduce", [&] { return done_.contains(ticket) || (cause_ && !running_); });
    const auto found = done_.find(ticket);
    if (found == done_.end()) std::rethrow_exception(cause_);
    const auto times = found->second;
    done_.erase(found);
    return times;
}

std::size_t LibraryCommunicator::wait_any(std::span<const Ticket> tickets) {
    if (std::ranges::any_of(tickets, [](Ticket ticket) { return is_by_library(ticket); }))
        throw InternalError("a wait for any of several sums by MPI");
    return own_.wait_any(tickets);
}

ExchangeTimes LibraryCommunicator::run(ReduceBuffer buffer, const Exchange& exchange) {
    if (!convoy::is_by_library(exchange)) return own_.run(buffer, exchange);
    return wait(start(buffer, exchange));
}

void LibraryCommunicator::drain() noexcept {
    own_.drain();
    std::unique_lock lock(mutex_);
    if (queue_.empty() && !running_) return;
    if (!cause_)
        cause_ = std::make_exception_ptr(NodeLostError("this node has ended its sums, and takes no more"));
    queue_.clear();
    wait_until(lock, "MPI_Allreduce", [this] { return !running_; });
}

Traffic LibraryCommunicator::traffic() const {
    auto traffic = own_.traffic();
    traffic.sent_bytes.reset();
    traffic.received_bytes.reset();
    return traffic;
}

void LibraryCommunicator::finish() {
    {
        const std::scoped_lock lock(mutex_);
        finishing_ = true;
        changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
}

}  // namespace convoy
