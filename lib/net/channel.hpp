#pragma once

#include <algorithm>
#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace convoy {

/// An ordered byte link to one peer. One coroutine may read while another writes; everything but the counters
/// happens on one thread. Implementations move bytes; this class keeps what they share: the peer's name, the
/// counters, and since when each direction has been waiting, from which a fabric enforces its deadline.
class Channel {
  public:
    /// peer names the other side in errors, as in "node 2 (127.0.0.1:4444)".
    explicit Channel(std::string peer) : peer_(std::move(peer)) {}
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;
    Channel(Channel&&) = delete;
    Channel& operator=(Channel&&) = delete;
    virtual ~Channel() = default;

    /// Sends header, then payload. Both must stay unchanged until it is done. Throws NodeLostError where the
    /// connection is gone, DeadlineError where the fabric ended it.
    virtual boost::asio::awaitable<void> write(std::span<const std::byte> header,
                                               std::span<const std::byte> payload) = 0;
    /// Fills into. Throws as write.
    virtual boost::asio::awaitable<void> read(std::span<std::byte> into) = 0;
    /// Fills header, and of what comes behind it as much of more as is there already; says how much that was.
    /// Throws as write.
    virtual boost::asio::awaitable<std::size_t> read_some_more(std::span<std::byte> header,
                                                               std::span<std::byte> more) = 0;
    /// Ends both directions: pending and later calls throw. What was written before still arrives. May be
    /// repeated.
    virtual void close() = 0;

    [[nodiscard]] const std::string& peer() const { return peer_; }
    /// Bytes given to and taken from the network; may be asked from any thread.
    [[nodiscard]] std::uint64_t sent_bytes() const { return sent_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t received_bytes() const { return received_.load(std::memory_order_relaxed); }

    /// Since when a call has been without progress: of two the later; none where no call is under way.
    [[nodiscard]] std::optional<TimePoint> waiting_since() const {
        return std::max(sending_.since, receiving_.since);
    }
    /// Closes the channel where a call has been without progress since cutoff or before; that call then
    /// throws DeadlineError, saying for how long and during which activity.
    void expire_if_stalled(TimePoint cutoff, std::string_view activity);

  protected:
    enum class Direction { send, receive };

    /// Marks a direction as waiting for the peer, for the length of one call.
    class Waiting {
      public:
        Waiting(Channel& channel, Direction direction);
        Waiting(const Waiting&) = delete;
        Waiting& operator=(const Waiting&) = delete;
        Waiting(Waiting&&) = delete;
        Waiting& operator=(Waiting&&) = delete;
        ~Waiting();

      private:
        std::optional<TimePoint>& since_;
    };

    /// Counts bytes. So many within a call restart its direction's deadline, so that a peer cannot hold it up
    /// for ever with a byte now and then.
    static constexpr std::size_t bytes_that_count = 4096;
    void progress(Direction direction, std::size_t bytes);
    /// Throws the DeadlineError of an expired channel, otherwise a NodeLostError that says problem.
    [[noreturn]] void fail(std::string_view problem) const;

  private:
    /// What a call in one direction waits for.
    struct Wait {
        std::optional<TimePoint> since;  ///< its beginning, or its last progress; absent between calls
        std::size_t bytes = 0;           ///< that have come or gone since then
    };
    Wait& wait_of(Direction direction) { return direction == Direction::send ? sending_ : receiving_; }

    std::string peer_;
    std::string expired_;  // why the deadline closed this channel; empty where it did not
    Wait sending_, receiving_;
    std::atomic<std::uint64_t> sent_{0}, received_{0};
};

}  // namespace convoy
