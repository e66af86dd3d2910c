#include "collective/fabric_communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <future>
#include <utility>

#include "base/error.hpp"
#include "collective/failure_telling.hpp"

namespace convoy {
namespace asio = boost::asio;

namespace {

std::vector<Lane> lanes_of(const PreparedExchange& exchange) {
    const auto connection = exchange.options.connection;
    std::vector<Lane> lanes;
    if (exchange.part.whole_run) lanes.push_back({.connection = connection});
    for (const auto peer : exchange.part.schedule.send_to)
        lanes.push_back({connection, Lane::Way::send, peer});
    for (const auto peer : exchange.part.schedule.receive_from)
        lanes.push_back({connection, Lane::Way::receive, peer});
    if (exchange.turn) lanes.push_back({.way = Lane::Way::turn, .peer = *exchange.turn});
    return lanes;
}

std::size_t is_patient(const PreparedExchange& exchange) {
    return exchange.verb == ExchangeVerb::all_reduce ? 0 : 1;
}

}  // namespace

FabricCommunicator::FabricCommunicator(IoThread& io, std::vector<std::unique_ptr<Fabric>> fabrics)
    : io_(io), fabrics_(std::move(fabrics)) {
    for (const auto& fabric : fabrics_)
        fabric->on_failure([this](const FabricFailure& failure) { fail_everywhere(failure); });
}

FabricCommunicator::~FabricCommunicator() {
    end_all();
    std::promise<void> gone;  // the fabrics' timers belong to the network thread, so they are destroyed there
    asio::post(io_.context(), [this, &gone] {
        fabrics_.clear();
        gone.set_value();
    });
    gone.get_future().wait();
}

Fabric& FabricCommunicator::fabric_of(const AllReduceOptions& options) const {
    const auto count = std::ssize(fabrics_);
    if (options.connection < 0 || options.connection >= count)
        throw InternalError(fmt::format("an exchange on connection {} of {}", options.connection, count));
    return *fabrics_[static_cast<std::size_t>(options.connection)];
}

Ticket FabricCommunicator::start(ReduceBuffer buffer, const Exchange& exchange) {
    const auto ticket = enqueue(buffer, exchange, false);
    io_.resume();
    return ticket;
}

ExchangeTimes FabricCommunicator::run(ReduceBuffer buffer, const Exchange& exchange) {
    const auto ticket = enqueue(buffer, exchange, true);
    if (!io_.run_until([&] { return over(ticket); }, [this] { return busy(); })) io_.resume();
    return wait(ticket);
}

Ticket FabricCommunicator::enqueue(ReduceBuffer buffer, const Exchange& exchange, bool waits) {
    auto prepared = prepare_exchange(fabric_of(exchange.options), buffer, exchange);
    const std::lock_guard lock(mutex_);
    if (cause_) std::rethrow_exception(cause_);
    const Ticket ticket{next_ticket_++};
    patient_ += is_patient(prepared);
    auto& job = *jobs_.try_emplace(ticket, std::move(prepared), Clock::now()).first;
    if (queues_.add(ticket, lanes_of(job.second.exchange))) {
        ++workers_;
        spawn(job);
    }
    if (waits) mark(std::array{ticket}, job.second.started);
    return ticket;
}

void FabricCommunicator::spawn(Jobs::value_type& job) {
    asio::co_spawn(io_.context(), work(&job), asio::detached);
}

asio::awaitable<void> FabricCommunicator::work(Jobs::value_type* job) {
    while (job != nullptr) {
        auto& fabric = fabric_of(job->second.exchange.options);
        try {
            auto times = co_await run_exchange(fabric, job->second.exchange, job->second.waited);
            times.started = job->second.started;
            const auto next = finish(job->first, times);
            for (std::size_t i = 1; i < next.size(); ++i) spawn(*next[i]);
            if (next.empty()) co_return;
            job = next.front();
        } catch (...) {
            fail(std::current_exception());
            close_links_without_failure();
            job = nullptr;
        }
    }
    leave();
}

std::vector<FabricCommunicator::Jobs::value_type*> FabricCommunicator::finish(Ticket ticket,
                                                                              const ExchangeTimes& times) {
    const std::lock_guard lock(mutex_);
    auto& job = jobs_.at(ticket);
    job.times = times;
    patient_ -= is_patient(job.exchange);
    changed_.notify_all();
    std::vector<Jobs::value_type*> next;
    if (!cause_) {
        for (const auto ready : queues_.remove(ticket)) next.push_back(&*jobs_.find(ready));
    }
    workers_ += next.size();
    --workers_;  // the caller, which is one of those for next
    return next;
}

void FabricCommunicator::leave() {
    const std::lock_guard lock(mutex_);
    --workers_;
    changed_.notify_all();
}

bool FabricCommunicator::over(Ticket ticket) {
    const std::lock_guard lock(mutex_);
    return jobs_.at(ticket).times.has_value() || ended();
}

bool FabricCommunicator::busy() {
    const std::lock_guard lock(mutex_);
    return workers_ > 0;
}

FabricCommunicator::Jobs::iterator FabricCommunicator::find(Ticket ticket) {
    const auto found = jobs_.find(ticket);
    if (found == jobs_.end())
        throw InternalError(fmt::format("exchange {} is not under way", static_cast<std::uint64_t>(ticket)));
    return found;
}

ExchangeTimes FabricCommunicator::wait(Ticket ticket) {
    std::unique_lock lock(mutex_);
    const auto found = find(ticket);
    mark(std::array{ticket}, Clock::now());
    changed_.wait(lock, [&] { return found->second.times.has_value() || ended(); });
    const auto times = found->second.times;
    jobs_.erase(found);
    if (!times) std::rethrow_exception(cause_);
    return *times;
}

std::size_t FabricCommunicator::wait_any(std::span<const Ticket> tickets) {
    if (tickets.empty()) throw InternalError("a wait for any of no exchanges");
    std::unique_lock lock(mutex_);
    for (const auto ticket : tickets) (void)find(ticket);
    mark(tickets, Clock::now());
    std::optional<std::size_t> done;
    changed_.wait(lock, [&] {
        done = first_done(tickets);
        return done || ended();
    });
    mark(tickets, std::nullopt);
    if (!done) std::rethrow_exception(cause_);
    return *done;
}

std::optional<std::size_t> FabricCommunicator::first_done(std::span<const Ticket> tickets) const {
    std::optional<std::size_t> first;
    TimePoint earliest = TimePoint::max();
    for (std::size_t i = 0; i < tickets.size(); ++i) {
        const auto& times = jobs_.at(tickets[i]).times;
        if (!times || times->finished >= earliest) continue;
        first = i;
        earliest = times->finished;
    }
    return first;
}

void FabricCommunicator::mark(std::span<const Ticket> tickets, std::optional<TimePoint> since) {
    if (patient_ == 0) return;
    for (const auto ticket : tickets) {
        if (!queues_.contains(ticket)) continue;
        for (const auto each : queues_.up_to(ticket)) {
            auto& waited = jobs_.at(each).waited;
            if (since) {
                waited.set(*since);
            } else {
                waited.clear();
            }
        }
    }
}

void FabricCommunicator::drain() noexcept {
    {
        const std::lock_guard lock(mutex_);
        const auto done = [](const auto& job) { return job.second.times.has_value(); };
        if (std::ranges::all_of(jobs_, done)) return;
    }
    end_all();
}

// After a failure, an exchange may still be in a frame to a peer, behind which it tells the peer the cause.
// Links close when that is done.
void FabricCommunicator::end_all() {
    fail(std::make_exception_ptr(NodeLostError("this node has closed its links")));
    asio::post(io_.context(), [this] {
        const auto failed = [](const auto& fabric) { return fabric->failed(); };
        if (std::ranges::none_of(fabrics_, failed)) close_links();
    });
    io_.resume();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return workers_ == 0; });
}

Traffic FabricCommunicator::traffic() const {
    std::uint64_t sent = 0, received = 0, retransmits = 0;
    for (const auto& fabric : fabrics_) {
        sent += fabric->sent_bytes();
        received += fabric->received_bytes();
        retransmits += fabric->retransmits();
    }
    return {.sent_bytes = sent, .received_bytes = received, .retransmits = retransmits};
}

void FabricCommunicator::abort(std::exception_ptr error) {
    fail(std::move(error));
    asio::post(io_.context(), [this] { close_links(); });
    io_.resume();
}

void FabricCommunicator::drop_links() {
    abort(
        std::make_exception_ptr(NodeLostError("its connections to the other nodes were closed on purpose")));
}

void FabricCommunicator::close_links() {
    for (const auto& fabric : fabrics_) fabric->close();
}

// What fails without a fabric ends all exchanges, too. A fabric with a failure closes its links itself, once
// all its peers are told.
void FabricCommunicator::close_links_without_failure() {
    for (const auto& fabric : fabrics_) {
        if (!fabric->failed()) fabric->close();
    }
}

// A peer may hear of a failure on one connection, and close the others, before the exchange that failed has
// ended here. The errors of other exchanges would name that peer. In the same way, a connection that is
// closed without a word names this node to the peer.
void FabricCommunicator::fail_everywhere(const FabricFailure& failure) {
    fail(failure.cause);
    for (const auto& fabric : fabrics_) {
        if (fabric->failed()) continue;
        if (fabric->in_use()) {
            fabric->fail(failure);
            continue;
        }
        std::unique_ptr<Fabric::Use> use(new Fabric::Use(fabric->use("a failure", {}, {})));
        {
            const std::lock_guard lock(mutex_);
            ++workers_;
        }
        fabric->fail(failure);
        asio::co_spawn(io_.context(), tell_idle_peers(*fabric, std::move(use), failure.notice),
                       asio::detached);
    }
}

asio::awaitable<void> FabricCommunicator::tell_idle_peers(Fabric& fabric, std::unique_ptr<Fabric::Use> use,
                                                          FailureNotice notice) {
    try {
        co_await tell_failure(fabric.executor(), fabric.take_idle_outgoing(), std::move(notice));
    } catch (...) {  // no memory, for instance: then the peers see their links close
    }
    use.reset();  // closes the links
    leave();
}

void FabricCommunicator::fail(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (cause_) return;
    cause_ = std::move(error);
    queues_.clear();
    changed_.notify_all();
}

}  // namespace convoy
