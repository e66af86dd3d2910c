#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <exception>
#include <functional>
#include <optional>

#include "base/clock.hpp"
#include "cluster/membership_events.hpp"

namespace convoy {

/// Gives a machine its events, one after the other, and TimePassed when its time has come. An exception of
/// the machine or of the loop is a bug of convoy: the machine gets the event LauncherFailed, once. Use it
/// only in the thread that runs the loop.
class EventPump {
  public:
    /// The machine, by its calls. They may deliver events.
    struct Machine {
        /// Handles an event, and carries out what follows from it.
        std::function<void(MembershipEvent)> handle;
        /// Called when all events are handled. Returns whether it wants to be called again. It is never
        /// called behind a bug: the machine may have changed by half.
        std::function<bool()> settle;
        /// Called when the machine has settled, before the loop goes on. Throws nothing.
        std::function<void()> rest;
        /// When the machine needs TimePassed, if no event comes before. Absent: never.
        std::function<std::optional<TimePoint>()> next_due;
    };

    EventPump(boost::asio::io_context& io, Machine machine);
    EventPump(const EventPump&) = delete;
    EventPump& operator=(const EventPump&) = delete;
    EventPump(EventPump&&) = delete;
    EventPump& operator=(EventPump&&) = delete;
    ~EventPump() = default;

    /// Calls `first`, then handles the events that it delivered. Lets its exceptions out; then events are
    /// only queued.
    void begin(const std::function<void()>& first);
    /// Runs the loop until it has nothing left to do.
    void run();
    /// Handles an event. One that comes while another is handled waits until that has been carried out.
    void deliver(MembershipEvent event);
    /// Queues LauncherFailed for the exception that is being handled, unless there was one before.
    void note_bug();
    /// The first exception of the machine or the loop; null: none.
    [[nodiscard]] std::exception_ptr bug() const { return bug_; }
    /// Waits for no time any more.
    void stop_waiting() { timer_.cancel(); }

  private:
    void handle_all();
    /// Lets the machine settle, if there was no bug. Returns whether it wants to be called again.
    bool wants_to_settle();
    void wait_for_time();

    boost::asio::io_context& io_;
    Machine machine_;
    boost::asio::steady_timer timer_;
    std::deque<MembershipEvent> events_;  ///< that the machine has not received yet
    bool handling_ = false;
    std::exception_ptr bug_;
};

}  // namespace convoy
