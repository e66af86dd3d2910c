#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <memory>

namespace convoy {

/// Wakes one waiting coroutine. Without a waiting coroutine, the notification is kept for the next wait.
/// Everything happens on the executor's one thread.
class Signal {
  public:
    explicit Signal(boost::asio::any_io_executor executor);
    Signal(const Signal&) = delete;
    Signal& operator=(const Signal&) = delete;
    Signal(Signal&&) = delete;
    Signal& operator=(Signal&&) = delete;
    ~Signal();

    boost::asio::awaitable<void> wait();
    /// The waiter continues when the caller has returned to the executor.
    void notify();
    /// The waiter continues at once, inside this call.
    void notify_now();

  private:
    boost::asio::any_io_executor executor_;
    struct Waiter;
    std::unique_ptr<Waiter> waiter_;
    bool kept_ = false;
};

}  // namespace convoy
