#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "collective/all_reduce.hpp"
#include "net/fabric.hpp"
#include "net/io_thread.hpp"
#include "program/communicator.hpp"

namespace convoy {

/// A Communicator over one fabric that is already formed, whatever connection a collective asks for.
/// Collectives run one after another, in the order of their start, on the thread of io, which runs the
/// fabric's executor and must outlive this object; all_reduce runs them in the calling thread. The first
/// failure ends every later collective with the same error.
class FabricCommunicator : public Communicator {
  public:
    /// on_failure: told the first error, from any thread, with nothing locked.
    FabricCommunicator(IoThread& io, std::unique_ptr<Fabric> fabric,
                       std::function<void(std::exception_ptr)> on_failure = {});
    FabricCommunicator(const FabricCommunicator&) = delete;
    FabricCommunicator& operator=(const FabricCommunicator&) = delete;
    FabricCommunicator(FabricCommunicator&&) = delete;
    FabricCommunicator& operator=(FabricCommunicator&&) = delete;
    /// Closes the links, which ends what is still under way, and returns when nothing uses the buffers any
    /// more.
    ~FabricCommunicator() override;

    /// Throws the error of an earlier collective that failed.
    Ticket start(ReduceBuffer buffer, const Exchange& exchange) override;
    CollectiveTimes run(ReduceBuffer buffer, const Exchange& exchange) override;
    /// Throws InternalError for a ticket that was not started, or already waited for.
    CollectiveTimes wait(Ticket ticket) override;
    void drain() noexcept override;
    [[nodiscard]] Traffic traffic() const override;
    /// Whether a collective is under way.
    [[nodiscard]] bool busy();

    /// Ends every collective, running or to come, with this error; from any thread. For whoever learns on
    /// another way (the control connection) that a node is lost. An error that is already there stays.
    void abort(std::exception_ptr error);

  private:
    struct Job {
        Ticket ticket{};
        ReduceBuffer buffer;
        AllReduceOptions options;
        TimePoint started;
    };

    Ticket enqueue(ReduceBuffer buffer, const AllReduceOptions& options);
    /// Whether a collective is finished, or will never be.
    bool over(Ticket ticket);
    boost::asio::awaitable<void> run_jobs();
    /// The next job to run; none where nothing is left to do, and then there is no runner any more.
    std::optional<Job> take();
    /// Closes the links and returns when nothing uses the buffers any more.
    void end_all();
    void finish(Ticket ticket, const CollectiveTimes& times);
    /// Keeps the error as the cause of all that follows, unless there is one.
    void fail(std::exception_ptr error);

    IoThread& io_;
    std::unique_ptr<Fabric> fabric_;
    std::function<void(std::exception_ptr)> on_failure_;

    std::mutex mutex_;  // guards all below
    std::condition_variable changed_;
    std::deque<Job> queue_;
    std::map<Ticket, std::optional<CollectiveTimes>>
        unclaimed_;             // started, not waited for; times once finished
    std::exception_ptr cause_;  // the first error
    std::uint64_t next_ticket_ = 0;
    bool running_ = false;  // there is a runner, which may be using buffers
};

}  // namespace convoy
