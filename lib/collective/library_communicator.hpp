#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>

#include "base/error.hpp"
#include "collective/library_all_reduce.hpp"
#include "program/communicator.hpp"

namespace convoy {

/// A Communicator whose sums of another library (is_by_library) run in a thread of their own, one after
/// another in the order of their starts. It hands all other exchanges to a communicator over convoy's own
/// links.
///
/// A sum of the library cannot be stopped. If it is not done in time, or if the buffers are to be freed while
/// it runs, nothing but the end of this process is safe: then `give_up` is called.
///
/// ExchangeTimes of such a sum: `peers_began` equals `began`, so skew counts as time of the exchange; the
/// bytes are absent. Traffic: absent, since nobody can count the bytes of the library.
class LibraryCommunicator final : public Communicator {
  public:
    struct Options {
        /// The time in which all processes must connect, and in which a sum must be done while a thread waits
        /// for it.
        Clock::duration deadline;
        /// Tells the error to whom it concerns, and ends the process. It must not return.
        std::function<void(const Error&)> give_up;
    };

    /// own: must outlive this object. Connects the processes; it throws the errors of
    /// LibraryAllReduce::begin.
    LibraryCommunicator(Communicator& own, std::unique_ptr<LibraryAllReduce> library, Options options);
    LibraryCommunicator(const LibraryCommunicator&) = delete;
    LibraryCommunicator& operator=(const LibraryCommunicator&) = delete;
    LibraryCommunicator(LibraryCommunicator&&) = delete;
    LibraryCommunicator& operator=(LibraryCommunicator&&) = delete;
    /// Drains. It does not leave the other processes, see finish.
    ~LibraryCommunicator() override;

    /// Throws the error of an earlier sum that failed, and InternalError for a sum by the library that is not
    /// of floats over all ranks.
    Ticket start(ReduceBuffer buffer, const Exchange& exchange) override;
    ExchangeTimes wait(Ticket ticket) override;
    /// Throws InternalError for a sum by the library.
    std::size_t wait_any(std::span<const Ticket> tickets) override;
    ExchangeTimes run(ReduceBuffer buffer, const Exchange& exchange) override;
    void drain() noexcept override;
    /// Closes convoy's own links; those of the library stay.
    void drop_links() override { own_.drop_links(); }
    [[nodiscard]] Traffic traffic() const override;

    /// Leaves the other processes. It returns when all have called it. Call it once, at a clean end.
    void finish();

  private:
    struct Sum {
        Ticket ticket{};
        std::span<float> values;
        TimePoint started;
    };
    void work();
    /// Calls a function of the library. False: it threw, and the error is kept as the cause.
    bool carry_out(const std::function<void()>& call);
    void fail(std::exception_ptr error);
    /// Blocks until the condition holds. Gives up if that takes longer than the deadline, counted anew with
    /// each sum that begins. doing: as in "MPI_Allreduce".
    template <typename Condition>
    void wait_until(std::unique_lock<std::mutex>& lock, const char* doing, Condition condition);

    Communicator& own_;
    std::unique_ptr<LibraryAllReduce> library_;
    Options options_;

    std::mutex mutex_;  // guards all below
    std::condition_variable changed_;
    std::deque<Sum> queue_;                 // started, not begun
    std::map<Ticket, ExchangeTimes> done_;  // not waited for
    std::optional<Ticket> running_;
    TimePoint last_began_;
    std::exception_ptr cause_;  // the first error
    std::uint64_t next_ticket_;
    bool connected_ = false, finishing_ = false, ending_ = false;

    std::thread thread_;
};

}  // namespace convoy
