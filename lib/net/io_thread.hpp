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

/// For how long a thread that waits for the network may look for work before it sleeps. Waking a sleeping
/// thread costs more than a small message takes, but a spinning thread is in the way where others want its
/// core: so 0 unless the machine has a core for each of these threads, the spinning ones included.
std::chrono::microseconds suggested_spin(std::int64_t threads, std::int64_t cores);

/// For a guest, where that is 0 and no quota counts its time: it waits anyway, and gives way at each look to
/// whoever wants the core, which is sooner done than sleeping and being woken.
inline constexpr std::chrono::microseconds brief_spin{20};

/// One thread that runs one io_context, from construction to destruction: all network work of a process. A
/// thread that has nothing to do but to wait for that work may run the context in its stead, which saves the
/// two changes from thread to thread that asking and answering cost. At any time one thread at most runs the
/// context, and what one did the next one sees.
///
/// Whoever spawned work on it must have ended that work before, as what is left is dropped.
class IoThread {
  public:
    IoThread();
    IoThread(const IoThread&) = delete;
    IoThread& operator=(const IoThread&) = delete;
    IoThread(IoThread&&) = delete;
    IoThread& operator=(IoThread&&) = delete;
    ~IoThread();

    [[nodiscard]] boost::asio::io_context& context() { return context_; }
    /// For how long the own thread, and a guest, spin; 0 at first. May be changed at any time, from any
    /// thread.
    void set_spin(std::chrono::microseconds own, std::chrono::microseconds guest);

    /// Runs the context in the calling thread until done, which is asked after each piece of work. False, and
    /// nothing has happened, where another guest runs it. Afterwards the own thread takes over: at once where
    /// more_to_do says so, else within two milliseconds, since the next guest often comes before that.
    bool run_until(const std::function<bool()>& done, const std::function<bool()>& more_to_do);
    /// Lets the own thread take over at once, unless a guest is there; for whoever gives the context
    /// something to do and does not wait for it.
    void resume();

  private:
    enum class Driver : std::uint8_t {
        own,      ///< the own thread runs the context
        wanted,   ///< it does, and a guest waits
        guest,    ///< a guest runs it
        resting,  ///< nobody does: the last guest has just left
    };

    void run();
    /// Lets a guest run the context, if one wants to, until it is the own thread's turn again.
    void give_way();
    bool enter();
    /// Does what there is to do; waits for it, spinning first.
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
