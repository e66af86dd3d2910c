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

/// An ordered stream of bytes to and from one peer. One coroutine may read while another writes. Everything
/// except the counters happens on one thread. Implementations move bytes. This class keeps the peer's name,
/// the counters, and the time since which each direction waits; with these times a fabric enforces its
/// deadline.
class Channel {
  public:
    /// peer: the name of the other side in errors, as in "node 2 (127.0.0.1:4444)".
    explicit Channel(std::string peer) : peer_(std::move(peer)) {}
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;
    Channel(Channel&&) = delete;
    Channel& operator=(Channel&&) = delete;
    virtual ~Channel() = default;

    /// Sends the header, then the payload. Both must stay unchanged until the call is done. Throws
    /// NodeLostError if the connection is lost, DeadlineError if the deadline of the fabric ended it.
    virtual boost::asio::awaitable<void> write(std::span<const std::byte> header,
                                               std::span<const std::byte> payload) = 0;
    /// Reads bytes until `into` is full. Throws as write.
    virtual boost::asio::awaitable<void> read(std::span<std::byte> into) = 0;
    /// Reads bytes until `header` is full. Reads also bytes behind the header into `more`, as far as they
    /// have arrived already. Returns the number of bytes in `more`. Throws as write.
    virtual boost::asio::awaitable<std::size_t> read_some_more(std::span<std::byte> header,
                                                               std::span<std::byte> more) = 0;
    /// Whether each frame is followed by its seal (frame_seal.hpp), which write adds.
    [[nodiscard]] bool is_sealed() const { return sealed_; }
    /// Reads the seal behind a frame, and returns whether it fits this frame. arrived: the first bytes of the
    /// seal, as far as they were read together with the frame. Only for a sealed channel. Throws as write.
    virtual boost::asio::awaitable<bool> seal_fits(std::span<const std::byte> header,
                                                   std::span<const std::byte> payload,
                                                   std::span<const std::byte> arrived = {});
    /// Ends both directions: pending and later calls throw. Bytes that were written before still arrive. It
    /// may be called again.
    virtual void close() = 0;

    [[nodiscard]] const std::string& peer() const { return peer_; }
    /// The bytes that were sent to and received from the network. Any thread may call these functions.
    [[nodiscard]] std::uint64_t sent_bytes() const { return sent_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t received_bytes() const { return received_.load(std::memory_order_relaxed); }

    /// The segments that the system had to send again, as far as the channel has looked; 0 without a network.
    /// Any thread may call this function.
    [[nodiscard]] std::uint64_t retransmits() const { return retransmits_.load(std::memory_order_relaxed); }

    /// The time since which a call has had no progress. If two calls are under way, it is the later time.
    /// Absent if no call is under way.
    [[nodiscard]] std::optional<TimePoint> waiting_since() const {
        return std::max(sending_.since, receiving_.since);
    }
    /// Closes the channel if a call has had no progress since `cutoff`. This call then throws a DeadlineError
    /// with the length of the silence and the activity.
    void expire_if_stalled(TimePoint cutoff, std::string_view activity);

  protected:
    enum class Direction { send, receive };

    /// Marks a direction as waiting for the peer while the object lives, during one call.
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

    /// Counts bytes. This number of bytes within a call restarts the deadline of its direction. So a peer
    /// cannot delay a call for ever with a few bytes now and then.
    static constexpr std::size_t bytes_that_count = 4096;
    void progress(Direction direction, std::size_t bytes);
    void set_sealed() { sealed_ = true; }
    void count_retransmits(std::uint64_t so_far) { retransmits_.store(so_far, std::memory_order_relaxed); }
    /// Throws the DeadlineError of an expired channel, otherwise a NodeLostError with this problem.
    [[noreturn]] void fail(std::string_view problem) const;

  private:
    /// The state of a call in one direction.
    struct Wait {
        std::optional<TimePoint> since;  ///< start of the call, or its last progress; absent between calls
        std::size_t bytes = 0;           ///< bytes received or sent since then
    };
    Wait& wait_of(Direction direction) { return direction == Direction::send ? sending_ : receiving_; }

    std::string peer_;
    bool sealed_ = false;
    std::string expired_;  // why the deadline closed this channel; empty where it did not
    Wait sending_, receiving_;
    std::atomic<std::uint64_t> sent_{0}, received_{0}, retransmits_{0};
};

}  // namespace convoy
