#pragma once

#include <boost/asio/awaitable.hpp>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "collective/exchange_run.hpp"
#include "collective/link_queues.hpp"
#include "net/fabric.hpp"
#include "net/io_thread.hpp"
#include "net/wait_mark.hpp"
#include "program/communicator.hpp"

namespace convoy {

/// A Communicator over fabrics that are already formed, one fabric for each connection between two peers.
/// Exchanges run on the thread of io; exchanges of run() run in the calling thread. Exchanges on different
/// connections share no links, so a small exchange need not wait for a large one. The first failure ends all
/// other exchanges, on all connections, with the same error.
class FabricCommunicator : public Communicator {
  public:
    /// fabrics: one for each connection, at least one. io: runs the executor of all fabrics; it must outlive
    /// this object.
    FabricCommunicator(IoThread& io, std::vector<std::unique_ptr<Fabric>> fabrics);
    FabricCommunicator(const FabricCommunicator&) = delete;
    FabricCommunicator& operator=(const FabricCommunicator&) = delete;
    FabricCommunicator(FabricCommunicator&&) = delete;
    FabricCommunicator& operator=(FabricCommunicator&&) = delete;
    /// Ends the exchanges under way, closes the links, and returns when no thread uses a buffer any more.
    /// After a failure it first tells the peers the cause, for little longer than FabricOptions::grace at
    /// most.
    ~FabricCommunicator() override;

    /// Throws the error of an earlier exchange that failed, InternalError for a connection without a fabric,
    /// and the errors of prepare_exchange.
    Ticket start(ReduceBuffer buffer, const Exchange& exchange) override;
    ExchangeTimes run(ReduceBuffer buffer, const Exchange& exchange) override;
    /// wait and wait_any throw InternalError for a ticket that was not started, or that was already waited
    /// for.
    ExchangeTimes wait(Ticket ticket) override;
    std::size_t wait_any(std::span<const Ticket> tickets) override;
    void drain() noexcept override;
    void drop_links() override;
    [[nodiscard]] Traffic traffic() const override;

    /// Ends all exchanges, also later ones, with this error. Any thread may call it. It serves a caller that
    /// learns in another way (over the control connection) that a node is lost. An earlier error is kept.
    void abort(std::exception_ptr error);

  private:
    struct Job {
        Job(PreparedExchange what, TimePoint when) : exchange(std::move(what)), started(when) {}
        PreparedExchange exchange;
        TimePoint started;
        WaitMark waited;
        std::optional<ExchangeTimes> times;  // once it is done
    };
    using Jobs = std::map<Ticket, Job>;

    [[nodiscard]] Fabric& fabric_of(const AllReduceOptions& options) const;
    Ticket enqueue(ReduceBuffer buffer, const Exchange& exchange, bool waits);
    /// Do not call it under the lock on the network thread: the job may be done at once.
    void spawn(Jobs::value_type& job);
    /// Does a job, and then the jobs that may begin when it is done. It does the first of these itself, and
    /// starts a worker for each of the others.
    boost::asio::awaitable<void> work(Jobs::value_type* job);
    /// What the destructor says.
    void end_all();
    void close_links();
    void close_links_without_failure();
    /// Ends all connections with the first failure on any of them, so that all peers are told the same cause:
    /// by the exchanges under way, or by tell_idle_peers.
    void fail_everywhere(const FabricFailure& failure);
    /// On a connection without an exchange. use: keeps the time in which the peers must be told. A worker.
    boost::asio::awaitable<void> tell_idle_peers(Fabric& fabric, std::unique_ptr<Fabric::Use> use,
                                                 FailureNotice notice);
    /// Keeps the error as the cause of all later failures, unless there is one already.
    void fail(std::exception_ptr error);

    // All below take the lock themselves.
    [[nodiscard]] bool busy();
    [[nodiscard]] bool over(Ticket ticket);
    /// Returns the exchanges that may begin now, and counts a worker for each of them instead of the caller.
    std::vector<Jobs::value_type*> finish(Ticket ticket, const ExchangeTimes& times);
    void leave();

    // All below are for whoever has the lock.
    [[nodiscard]] bool ended() const { return cause_ && workers_ == 0; }
    [[nodiscard]] Jobs::iterator find(Ticket ticket);
    [[nodiscard]] std::optional<std::size_t> first_done(std::span<const Ticket> tickets) const;
    /// Sets or clears the marks of these exchanges and of all exchanges that must be done before them.
    void mark(std::span<const Ticket> tickets, std::optional<TimePoint> since);

    IoThread& io_;
    std::vector<std::unique_ptr<Fabric>> fabrics_;

    std::mutex mutex_;  // guards all below
    std::condition_variable changed_;
    Jobs jobs_;                 // started, not waited for
    LinkQueues queues_;         // those of them that are not done
    std::size_t patient_ = 0;   // those of them whose deadline does not always count
    std::exception_ptr cause_;  // the first error
    std::uint64_t next_ticket_ = 0;
    std::size_t workers_ = 0;  // which may be using buffers or links
};

}  // namespace convoy
