#include "collective/ring.hpp"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "collective/ring_schedule.hpp"
#include "net/control_frames.hpp"
#include "net/frame.hpp"
#include "net/signal.hpp"

namespace convoy {
namespace asio = boost::asio;
using asio::awaitable;

namespace {

template <typename T>
constexpr ElementType element_type = std::is_same_v<T, float> ? ElementType::float32 : ElementType::float64;

template <typename T>
void add(std::span<T> sum, const T* __restrict__ more) {
    T* __restrict__ into = sum.data();
    for (std::size_t i = 0; i < sum.size(); ++i) into[i] += more[i];
}

/// One all-reduce on one rank: a sender and a receiver, each walking the schedule at its own pace. The sender
/// may go no further than the receiver has what it is to send.
template <typename T>
class RingRun {
  public:
    RingRun(Fabric& fabric, std::span<T> buffer, const RingOptions& options)
        : fabric_(fabric),
          to_(fabric.to((fabric.rank() + 1) % fabric.world_size())),
          from_(fabric.from((fabric.rank() + fabric.world_size() - 1) % fabric.world_size())),
          buffer_(buffer),
          schedule_(static_cast<std::uint64_t>(fabric.rank()),
                    static_cast<std::uint64_t>(fabric.world_size()), buffer.size(),
                    static_cast<std::uint64_t>(options.segment_bytes) / sizeof(T),
                    static_cast<std::uint64_t>(options.depth)),
          sequence_(fabric.next_sequence()),
          watch_(fabric.watch(fmt::format("all-reduce {}", sequence_))),
          received_steps_(schedule_.blocks(), 0),
          more_to_send_(fabric.executor()),
          sender_ended_(fabric.executor()) {}

    awaitable<CollectiveTimes> run() {
        asio::co_spawn(fabric_.executor(), send_all(), [this](const std::exception_ptr& error) {
            send_error_ = error;
            sending_ = false;
            if (error) fabric_.hurry();
            sender_ended_.notify();
        });
        std::exception_ptr receive_error;
        try {
            co_await receive_all();
        } catch (...) {
            receive_error = std::current_exception();
        }
        const bool send_failed_first = send_error_ != nullptr;
        if (receive_error) stop_sender();
        while (sending_) co_await sender_ended_.wait();
        if (receive_error || send_error_) {
            co_await give_up(receive_error && (informed_ || !send_failed_first) ? receive_error
                                                                                : send_error_);
        }
        times_.finished = Clock::now();
        co_return times_;
    }

  private:
    [[nodiscard]] FrameHeader header(const RingTurn& turn, ElementRange range) const {
        return {.kind = FrameKind::collective,
                .type = element_type<T>,
                .operation = CollectiveOperation::all_reduce_sum,
                .step = turn.step,
                .sequence = sequence_,
                .element_count = buffer_.size(),
                .first_element = range.first,
                .payload_bytes = range.count * sizeof(T)};
    }

    [[nodiscard]] std::span<T> elements(ElementRange range) const {
        return buffer_.subspan(range.first, range.count);
    }

    awaitable<void> send_all() {
        RingSchedule::Walk walk(schedule_);
        RingTurn turn;
        while (walk.next(turn)) {
            while (received_steps_[turn.block] < turn.step && !stopping_) co_await more_to_send_.wait();
            if (stopping_) co_return;
            const auto head = encode_frame_header(header(turn, turn.send));
            co_await to_.write(head, std::as_bytes(elements(turn.send)));
        }
    }

    awaitable<void> receive_all() {
        const auto scratch = fabric_.scratch(schedule_.largest_segment() * sizeof(T));
        auto* const arrived = reinterpret_cast<T*>(scratch.data());
        RingSchedule::Walk walk(schedule_);
        RingTurn turn;
        while (walk.next(turn)) {
            co_await receive_header(header(turn, turn.receive));
            const auto into = elements(turn.receive);
            if (schedule_.adds(turn.step)) {
                co_await from_.read(scratch.first(into.size_bytes()));
                add<T>(into, arrived);
            } else {
                co_await from_.read(std::as_writable_bytes(into));
            }
            ++received_steps_[turn.block];
            more_to_send_.notify_now();
        }
    }

    /// Reads the next header and checks that it is the one expected; a failure notice becomes its error.
    awaitable<void> receive_header(const FrameHeader& expected) {
        FrameHeaderBytes bytes{};
        co_await from_.read(bytes);
        if (times_.first_data == TimePoint{}) times_.first_data = Clock::now();
        informed_ =
            true;  // whatever is wrong with this frame is the cause, not a consequence of a closed link
        const auto limit = frame_max_elements * sizeof(T);
        const auto found = decode_frame_header(bytes, limit, from_.peer());
        if (found.kind == FrameKind::failure) co_await receive_failure(found);
        check_same_collective(found, expected, from_.peer());
        informed_ = false;
    }

    awaitable<void> receive_failure(const FrameHeader& found) {
        if (found.payload_bytes > failure_max_payload_bytes) {
            throw DataError(
                fmt::format("{}: sent a failure notice of {} bytes", from_.peer(), found.payload_bytes));
        }
        std::vector<std::byte> payload(found.payload_bytes);
        co_await from_.read(payload);
        told_ = decode_failure(payload, from_.peer());
        throw_failure(*told_);
    }

    /// Lets the sender end after the frame that it is in. Closing the link from the left first frees a left
    /// neighbour that is stuck in sending to this node.
    void stop_sender() {
        stopping_ = true;
        fabric_.hurry();
        from_.close();
        more_to_send_.notify();
    }

    /// Tells the right neighbour the cause, unless the link to it is what failed, and throws the cause.
    awaitable<void> give_up(std::exception_ptr cause) {
        FailureNotice notice;
        try {
            std::rethrow_exception(cause);
        } catch (const Error& error) {
            notice = {error.code(), fmt::format("{} (seen by node {})", error.what(), fabric_.rank())};
        } catch (const std::exception& error) {
            notice = {ExitCode::bug, fmt::format("{} (on node {})", error.what(), fabric_.rank())};
        }
        if (!send_error_) co_await tell(told_ ? *told_ : notice);
        fabric_.close();
        std::rethrow_exception(cause);
    }

    awaitable<void> tell(const FailureNotice& notice) {
        const auto payload = encode_failure(notice);
        const auto head = encode_frame_header(
            {.kind = FrameKind::failure, .sequence = sequence_, .payload_bytes = payload.size()});
        try {
            co_await to_.write(head, payload);
        } catch (const Error&) {  // the neighbour is gone too: nobody is left to tell
        }
    }

    Fabric& fabric_;
    Channel& to_;
    Channel& from_;
    std::span<T> buffer_;
    RingSchedule schedule_;
    std::uint64_t sequence_;
    Fabric::Watch watch_;
    const TimePoint began_ = Clock::now();
    CollectiveTimes times_{.started = began_, .began = began_, .first_data = {}, .finished = {}};

    std::vector<std::uint32_t> received_steps_;  // by block
    Signal more_to_send_, sender_ended_;
    bool sending_ = true, stopping_ = false;
    std::exception_ptr send_error_;
    bool informed_ = false;              // the receiver's error is the cause of the failure
    std::optional<FailureNotice> told_;  // the cause as the left neighbour told it
};

void check(const RingOptions& options) {
    if (options.segment_bytes < 64 || options.segment_bytes > (std::int64_t{1} << 30U)) {
        throw InternalError(
            fmt::format("ring segments of {} bytes; 64 to 2^30 are possible", options.segment_bytes));
    }
    if (options.depth < 1)
        throw InternalError(fmt::format("ring depth {}; at least 1 is needed", options.depth));
}

/// The checks and the shortcut of every ring all-reduce. An empty buffer takes no shortcut: its empty frames
/// still find a rank that disagrees.
template <typename T>
awaitable<CollectiveTimes> all_reduce(Fabric& fabric, std::span<T> buffer, RingOptions options) {
    check(options);
    if (fabric.world_size() == 1) {
        const auto now = Clock::now();
        co_return CollectiveTimes{now, now, now, now};
    }
    RingRun<T> run(fabric, buffer, options);
    co_return co_await run.run();
}

}  // namespace

awaitable<CollectiveTimes> ring_all_reduce(Fabric& fabric, std::span<float> buffer, RingOptions options) {
    return all_reduce(fabric, buffer, options);
}

awaitable<CollectiveTimes> ring_all_reduce(Fabric& fabric, std::span<double> buffer, RingOptions options) {
    return all_reduce(fabric, buffer, options);
}

}  // namespace convoy
