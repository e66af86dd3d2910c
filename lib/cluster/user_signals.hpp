#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <functional>

#include "base/end_on_signal.hpp"

namespace convoy {

/// The ending signals of a process in an event loop. While an object of this class lives, they wait, except
/// between let_through() and stop(). Use it only in the thread that runs the loop. Only lib/cluster's sources
/// include this.
class UserSignals {
  public:
    /// take: is called by the loop for each signal. The loop must outlive this object.
    UserSignals(boost::asio::io_context& io, std::function<void()> take);
    UserSignals(const UserSignals&) = delete;
    UserSignals& operator=(const UserSignals&) = delete;
    UserSignals(UserSignals&&) = delete;
    UserSignals& operator=(UserSignals&&) = delete;
    /// The signals wait until they have the actions of before.
    ~UserSignals() { held_.hold(); }

    /// Makes the loop wait for signals. They come as soon as they are let through.
    void listen();
    void let_through() { held_.let_through(); }
    /// The loop waits for no more signals: they wait for whoever listens after it.
    void stop();
    /// For the end of the loop: a signal that came before stop(), and that no handler has seen, waits too.
    void pass_on();

  private:
    boost::asio::io_context& io_;
    HeldSignals held_;
    SignalActions actions_;  ///< signal_set leaves the default actions behind
    boost::asio::signal_set set_;
    std::function<void()> take_;
    bool stopped_ = false;
};

}  // namespace convoy
