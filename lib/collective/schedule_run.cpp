#include "collective/schedule_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace convoy {
namespace asio = boost::asio;
using asio::awaitable;

ScheduleRun::ScheduleRun(Fabric& fabric, WireBuffer buffer, Schedule schedule)
    : fabric_(fabric),
      buffer_(buffer),
      schedule_(std::move(schedule)),
      sequence_(fabric.next_sequence()),
      watch_(fabric.watch(fmt::format("all-reduce {}", sequence_))),
      more_received_(fabric.executor()),
      more_sent_(fabric.executor()) {
    times_.started = times_.began = Clock::now();
    const auto leaving = buffer_.travels_as_stored() ? 0 : schedule_.largest_send * buffer_.element_bytes();
    const auto arriving = schedule_.largest_receive * buffer_.element_bytes();
    const auto memory = fabric.scratch(arriving + leaving);
    arriving_ = memory.first(arriving);
    leaving_ = memory.subspan(arriving, leaving);
}

awaitable<CollectiveTimes> ScheduleRun::run() {
    asio::co_spawn(fabric_.executor(), send_all(), [this](const std::exception_ptr& error) {
        send_error_ = error;
        sending_ = false;
        if (error) fabric_.hurry();
        more_sent_.notify();
    });
    std::exception_ptr receive_error;
    try {
        co_await receive_all();
    } catch (...) {
        receive_error = std::current_exception();
    }
    const bool send_failed_first = send_error_ != nullptr;
    if (receive_error) stop_sender();
    while (sending_) co_await more_sent_.wait();
    if (receive_error || send_error_) {
        co_await give_up(receive_error && (informed_ || !send_failed_first) ? receive_error : send_error_);
    }
    times_.finished = Clock::now();
    if (times_.peers_began == TimePoint{}) times_.peers_began = times_.finished;
    co_return times_;
}

FrameHeader ScheduleRun::header(std::uint32_t step, ElementRange range) const {
    return {.kind = FrameKind::collective,
            .type = buffer_.type(),
            .operation = CollectiveOperation::all_reduce_sum,
            .step = step,
            .sequence = sequence_,
            .element_count = buffer_.size(),
            .first_element = range.first,
            .payload_bytes = range.count * buffer_.element_bytes()};
}

awaitable<void> ScheduleRun::send_all() {
    for (const auto& transfer : schedule_.sends) {
        while (received_ < transfer.after_receives && !stopping_) co_await more_received_.wait();
        if (stopping_) co_return;
        auto& to = fabric_.to(transfer.peer);
        send_failed_to_ = &to;
        const auto head = encode_frame_header(header(transfer.step, transfer.range));
        co_await to.write(head, payload(transfer.range));
        ++sent_;
        more_sent_.notify();
    }
    send_failed_to_ = nullptr;
}

awaitable<void> ScheduleRun::receive_all() {
    for (const auto& transfer : schedule_.receives) {
        co_await receive(transfer);
        ++received_;
        more_received_.notify_now();
    }
}

std::span<const std::byte> ScheduleRun::payload(ElementRange range) {
    if (buffer_.travels_as_stored()) return buffer_.stored(range);
    const auto bytes = leaving_.first(range.count * buffer_.element_bytes());
    buffer_.encode(range, bytes);
    return bytes;
}

/// Header and payload are read at once, as far as they are there: a small message takes one system call. What
/// travels as it is stored is read straight into its place.
awaitable<void> ScheduleRun::receive(const Receive& transfer) {
    auto& from = fabric_.from(transfer.peer);
    const bool in_place = !transfer.adds && buffer_.travels_as_stored();
    if (in_place) co_await wait_for_sends(transfer.after_sends);
    const auto into = in_place ? buffer_.stored(transfer.range)
                               : arriving_.first(transfer.range.count * buffer_.element_bytes());
    FrameHeaderBytes bytes{};
    const auto arrived = co_await from.read_some_more(bytes, into);
    if (times_.peers_began == TimePoint{} && transfer.step >= schedule_.tells_of_peers)
        times_.peers_began = Clock::now();
    informed_ = true;  // whatever is wrong with this frame is the cause, not a consequence of a closed link
    const auto found = decode_frame_header(bytes, frame_max_elements * buffer_.element_bytes(), from.peer());
    if (found.kind == FrameKind::failure) co_await receive_failure(from, found, into.first(arrived));
    check_same_collective(found, header(transfer.step, transfer.range), from.peer());
    informed_ = false;
    co_await from.read(into.subspan(arrived));
    if (in_place) {
        check(transfer.range, from);
        co_return;
    }
    co_await wait_for_sends(transfer.after_sends);
    if (transfer.adds) {
        buffer_.add(transfer.range, into);
    } else {
        buffer_.replace(transfer.range, into);
    }
}

void ScheduleRun::check(ElementRange range, const Channel& from) {
    informed_ = true;
    buffer_.check(range, from.peer());
    informed_ = false;
}

awaitable<void> ScheduleRun::wait_for_sends(std::uint64_t count) {
    while (sent_ < count) {
        if (send_error_) std::rethrow_exception(send_error_);
        co_await more_sent_.wait();
    }
}

/// arrived: what was read of the notice together with its header.
awaitable<void> ScheduleRun::receive_failure(Channel& from, const FrameHeader& found,
                                             std::span<const std::byte> arrived) {
    if (found.payload_bytes > failure_max_payload_bytes) {
        throw DataError(
            fmt::format("{}: sent a failure notice of {} bytes", from.peer(), found.payload_bytes));
    }
    std::vector<std::byte> payload(found.payload_bytes);
    const auto there = std::min(arrived.size(), payload.size());
    std::copy_n(arrived.begin(), there, payload.begin());
    co_await from.read(std::span(payload).subspan(there));
    told_ = decode_failure(payload, from.peer());
    throw_failure(*told_);
}

/// Lets the sender end after the frame that it is in. Closing the incoming links first frees the peers that
/// are stuck in sending to this node.
void ScheduleRun::stop_sender() {
    stopping_ = true;
    fabric_.hurry();
    fabric_.close_incoming();
    more_received_.notify();
}

/// Tells those that this node sends to the cause, but on the link that failed, and throws the cause.
awaitable<void> ScheduleRun::give_up(std::exception_ptr cause) {
    FailureNotice notice;
    try {
        std::rethrow_exception(cause);
    } catch (const Error& error) {
        notice = {error.code(), fmt::format("{} (seen by node {})", error.what(), fabric_.rank())};
    } catch (const std::exception& error) {
        notice = {ExitCode::bug, fmt::format("{} (on node {})", error.what(), fabric_.rank())};
    }
    for (auto* to : fabric_.outgoing()) {
        if (!send_error_ || to != send_failed_to_) co_await tell(*to, told_ ? *told_ : notice);
    }
    fabric_.close();
    std::rethrow_exception(cause);
}

awaitable<void> ScheduleRun::tell(Channel& to, FailureNotice notice) {
    const auto payload = encode_failure(notice);
    const auto head = encode_frame_header(
        {.kind = FrameKind::failure, .sequence = sequence_, .payload_bytes = payload.size()});
    try {
        co_await to.write(head, payload);
    } catch (const Error&) {  // the peer is gone too: nobody is left to tell
    }
}

}  // namespace convoy
