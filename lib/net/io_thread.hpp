#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <thread>

namespace convoy {

/// For how long a network thread may look for work before it sleeps. Waking a sleeping thread costs more than
/// a small message takes, but a spinning thread is in the way where others want its core: so 0 unless the
/// machine has more cores than threads that want one.
std::chrono::microseconds suggested_spin(std::int64_t busy_threads, std::int64_t cores);

/// One thread that runs one io_context, from construction to destruction: all network work of a process.
/// Whoever spawned work on it must have ended that work before, as what is left is dropped.
class IoThread {
  public:
    explicit IoThread(std::chrono::microseconds spin = std::chrono::microseconds(0));
    IoThread(const IoThread&) = delete;
    IoThread& operator=(const IoThread&) = delete;
    IoThread(IoThread&&) = delete;
    IoThread& operator=(IoThread&&) = delete;
    ~IoThread();

    [[nodiscard]] boost::asio::io_context& context() { return context_; }
    /// May be changed at any time, from any thread.
    void set_spin(std::chrono::microseconds spin) { spin_us_.store(spin.count(), std::memory_order_relaxed); }

  private:
    void run();
    /// Looks for work without sleeping, for the length of the spin; says whether there was any.
    bool spin();

    boost::asio::io_context context_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    std::atomic<std::int64_t> spin_us_;
    std::thread thread_;
};

}  // namespace convoy
