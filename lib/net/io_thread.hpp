#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace convoy {

/// The time in which a thread that waits for the network may spin, that is, look for work before it sleeps.
/// Waking a sleeping thread takes longer than a small message. But a spinning thread takes a core from other
/// threads. So the time is 0 unless the machine has a core for each thread. threads: all threads, the
/// spinning ones included.
std::chrono::microseconds suggested_spin(std::int64_t threads, std::int64_t cores);

/// The spin time of a guest if suggested_spin is 0 and no quota counts its time. The guest gives its core to
/// other threads each time it looks for work. This is faster than to sleep and be woken.
inline constexpr std::chrono::microseconds brief_spin{50};

/// One thread that runs one io_context, from construction to destruction. All network work of a process is on
/// it. Another thread (a guest) that only waits for this work may run the context instead. This saves two
/// switches between threads. At most one thread runs the context at a time, and the next thread sees the
/// memory of the thread before.
///
/// The owner of work on the context must end this work before the destructor; pending work is dropped.
class IoThread {
  public:
    IoThread();
    IoThread(const IoThread&) = delete;
    IoThread& operator=(const IoThread&) = delete;
    IoThread(IoThread&&) = delete;
    IoThread& operator=(IoThread&&) = delete;
    ~IoThread();

    [[nodiscard]] boost::asio::io_context& context() { return context_; }
    /// Sets the spin times of the own thread and of a guest; both are 0 at first. Any thread may call it at
    /// any time.
    void set_spin(std::chrono::microseconds own, std::chrono::microseconds guest);

    /// Runs the context in the calling thread until done() returns true; done() is called after each piece of
    /// work. Returns false, without running anything, if another guest runs the context. Afterwards the own
    /// thread takes over: at once if more_to_do() returns true, else within 20 milliseconds, since the next
    /// guest often comes before that.
    bool run_until(const std::function<bool()>& done, const std::function<bool()>& more_to_do);
    /// Lets the own thread take over at once, unless a guest runs the context. Call it after giving work to
    /// the context without waiting for it.
    void resume();

  private:
    enum class Driver : std::uint8_t {
        own,      ///< the own thread runs the context
        wanted,   ///< the own thread runs it, and a guest waits
        guest,    ///< a guest runs it
        resting,  ///< no thread runs it: the last guest has just left
    };

    void run();
    /// If a guest wants to run the context, lets it, until it is the own thread's turn again.
    void give_way();
    bool enter();
    /// Runs the pending work. If there is none, it spins, then sleeps until there is some.
    void run_some(std::chrono::microseconds spin);

    boost::asio::io_context context_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    std::atomic<std::int64_t> own_spin_us_{0}, guest_spin_us_{0};

    std::mutex mutex_;  // guards all below
    std::condition_variable changed_;
    Driver driver_ = Driver::own;
    std::uint64_t guests_ = 0;  // so many have come
    bool ending_ = false;

    std::thread thread_;
};

}  // namespace convoy
