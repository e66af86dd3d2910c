#include "collective/schedule_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "collective/failure_telling.hpp"

namespace convoy {
namespace asio = boost::asio;
using asio::awaitable;

namespace {

std::size_t arriving_bytes(const WireBuffer& buffer, const Schedule& schedule) {
    return schedule.largest_receive * buffer.element_bytes();
}
std::size_t leaving_bytes(const WireBuffer& buffer, const Schedule& schedule) {
    return buffer.travels_as_stored() ? 0 : schedule.largest_send * buffer.element_bytes();
}

/// As it stands in errors.
std::string_view activity(ExchangeOperation operation) {
    return operation == ExchangeOperation::all_reduce_sum ? "all-reduce" : text(operation);
}

}  // namespace

ScheduleRun::ScheduleRun(Fabric& fabric, WireBuffer buffer, const ExchangeSchedule& part,
                         ExchangeOperation operation, const WaitMark* waited)
    : fabric_(fabric),
      buffer_(buffer),
      part_(part),
      operation_(operation),
      links_(fabric.use(activity(operation), part_.schedule.send_to, part_.schedule.receive_from, waited)),
      memory_(fabric.scratch(arriving_bytes(buffer, part_.schedule) + leaving_bytes(buffer, part_.schedule))),
      arriving_(memory_.bytes().first(arriving_bytes(buffer, part_.schedule))),
      leaving_(memory_.bytes().subspan(arriving_.size())),
      more_received_(fabric.executor()),
      more_sent_(fabric.executor()) {
    times_.started = times_.began = Clock::now();
    if (part_.schedule.receives.empty()) times_.peers_began = times_.began;
}

awaitable<ExchangeTimes> ScheduleRun::run() {
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
    auto cause = informed_ || !send_failed_first ? receive_error : send_error_;
    if (receive_error) stop_sender(cause);
    while (sending_) {
        co_await more_sent_.wait();
    }
    if (!receive_error) cause = send_error_;
    if (cause) {
        co_await give_up(cause);
    }
    if (const auto& failure = fabric_.failure()) {
        co_await tell_peers(failure->notice);  // the links close behind this exchange
    }
    times_.finished = Clock::now();
    if (times_.peers_began == TimePoint{}) times_.peers_began = times_.finished;
    co_return times_;
}

FrameHeader ScheduleRun::header(std::uint64_t sequence, std::uint32_t step, ElementRange range) const {
    return {.kind = FrameKind::collective,
            .type = buffer_.type(),
            .operation = operation_,
            .group = part_.group,
            .step = step,
            .sequence = sequence,
            .element_count = part_.elements,
            .first_element = part_.first + range.first,
            .payload_bytes = range.count * buffer_.element_bytes()};
}

awaitable<void> ScheduleRun::send_all() {
    for (const auto& transfer : part_.schedule.sends) {
        while (received_ < transfer.after_receives && !stopping_) {
            co_await more_received_.wait();
        }
        if (stopping_) co_return;
        auto& to = fabric_.to(transfer.peer);
        send_failed_to_ = &to;
        const auto head =
            encode_frame_header(header(fabric_.sequence_to(transfer.peer), transfer.step, transfer.range));
        co_await to.write(head, payload(transfer.range));
        ++sent_;
        more_sent_.notify();
    }
    send_failed_to_ = nullptr;
}

awaitable<void> ScheduleRun::receive_all() {
    for (const auto& transfer : part_.schedule.receives) {
        co_await receive(transfer);
        ++received_;
        more_received_.notify_now();
    }
}

/// A rank of a sum continues with the values that its peers receive, so all ranks have the same bits. A
/// buffer that is only sent does not change.
std::span<const std::byte> ScheduleRun::payload(ElementRange range) {
    if (buffer_.travels_as_stored()) return buffer_.stored(range);
    const auto bytes = leaving_.first(range.count * buffer_.element_bytes());
    buffer_.encode(range, bytes, operation_ == ExchangeOperation::all_reduce_sum);
    return bytes;
}

/// Header and payload are read at once, as far as they are there: a small message takes one system call. What
/// travels as it is stored is read straight into its place.
awaitable<void> ScheduleRun::receive(const Receive& transfer) {
    auto& from = fabric_.from(transfer.peer);
    const bool in_place = !transfer.adds && buffer_.travels_as_stored();
    if (in_place) {
        co_await wait_for_sends(transfer.after_sends);
    }
    const auto into = in_place ? buffer_.stored(transfer.range)
                               : arriving_.first(transfer.range.count * buffer_.element_bytes());
    FrameHeaderBytes bytes{};
    const auto arrived = co_await from.read_some_more(bytes, into);
    if (times_.peers_began == TimePoint{} && transfer.step >= part_.schedule.tells_of_peers)
        times_.peers_began = Clock::now();
    informed_ = true;  // whatever is wrong with this frame is the cause, not a consequence of a closed link
    const auto found = decode_frame_header(bytes, frame_max_elements * buffer_.element_bytes(), from.peer());
    if (found.kind == FrameKind::failure) {
        co_await receive_failure(from, bytes, found, into.first(arrived));
    }
    const auto expected = header(fabric_.sequence_from(transfer.peer), transfer.step, transfer.range);
    check_same_exchange(found, expected, from.peer());
    informed_ = false;
    co_await from.read(into.subspan(arrived));
    if (from.is_sealed()) {
        co_await check_seal(from, bytes, into);
    }
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

awaitable<void> ScheduleRun::check_seal(Channel& from, std::span<const std::byte> header,
                                        std::span<const std::byte> payload,
                                        std::span<const std::byte> arrived) {
    const bool fits = co_await from.seal_fits(header, payload, arrived);
    if (fits) co_return;
    informed_ = true;
    throw DataError(fmt::format("{}: a frame was changed on its way here; is somebody between the two nodes?",
                                from.peer()));
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

/// arrived: the bytes that were read together with the notice's header: more than the notice, as its seal may
/// be among them.
awaitable<void> ScheduleRun::receive_failure(Channel& from, std::span<const std::byte> header,
                                             const FrameHeader& found, std::span<const std::byte> arrived) {
    if (found.payload_bytes > failure_max_payload_bytes) {
        throw DataError(
            fmt::format("{}: sent a failure notice of {} bytes", from.peer(), found.payload_bytes));
    }
    std::vector<std::byte> payload(found.payload_bytes);
    const auto there = std::min(arrived.size(), payload.size());
    std::copy_n(arrived.begin(), there, payload.begin());
    co_await from.read(std::span(payload).subspan(there));
    if (from.is_sealed()) {
        co_await check_seal(from, header, payload, arrived.subspan(there));
    }
    told_ = decode_failure(payload, from.peer());
    throw_failure(*told_);
}

/// Lets the sender end after the frame that it is in.
void ScheduleRun::stop_sender(std::exception_ptr cause) {
    stopping_ = true;
    fail(std::move(cause));
    more_received_.notify();
}

/// Ends the use of the fabric with this cause, or with the cause that a peer told, unless it has ended
/// before.
const FabricFailure& ScheduleRun::fail(std::exception_ptr cause) {
    FailureNotice notice;
    try {
        std::rethrow_exception(cause);
    } catch (const Error& error) {
        notice = {error.code(), fmt::format("{} (seen by node {})", error.what(), fabric_.rank())};
    } catch (const std::exception& error) {
        notice = {ExitCode::bug, fmt::format("{} (on node {})", error.what(), fabric_.rank())};
    }
    return fabric_.fail({std::move(cause), told_ ? *told_ : notice});
}

/// Tells the peers the cause, and throws it. Where other exchanges are under way on this fabric they end too,
/// and tell those on their links.
awaitable<void> ScheduleRun::give_up(std::exception_ptr cause) {
    const auto failure = fail(std::move(cause));
    co_await tell_peers(failure.notice);
    std::rethrow_exception(failure.cause);
}

/// Those that this node sends to, but on the link that failed, and those on links that no exchange uses.
awaitable<void> ScheduleRun::tell_peers(FailureNotice notice) {
    auto outgoing = fabric_.take_idle_outgoing();
    for (const auto peer : part_.schedule.send_to) outgoing.push_back(&fabric_.to(peer));
    if (send_error_) std::erase(outgoing, send_failed_to_);
    co_await tell_failure(fabric_.executor(), std::move(outgoing), std::move(notice));
}

}  // namespace convoy
