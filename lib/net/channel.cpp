#include "net/channel.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace convoy {

std::optional<TimePoint>& Channel::waiting_since(Direction direction) {
    return direction == Direction::send ? sending_since_ : receiving_since_;
}

Channel::Waiting::Waiting(Channel& channel, Direction direction) : since_(channel.waiting_since(direction)) {
    since_ = Clock::now();
    (direction == Direction::send ? channel.sent_since_ : channel.received_since_) = 0;
}

Channel::Waiting::~Waiting() {
    since_.reset();
}

void Channel::progress(Direction direction, std::size_t bytes) {
    auto& moved = direction == Direction::send ? sent_since_ : received_since_;
    moved += bytes;
    if (moved >= bytes_that_count) {
        waiting_since(direction) = Clock::now();
        moved = 0;
    }
    (direction == Direction::send ? sent_ : received_).fetch_add(bytes, std::memory_order_relaxed);
}

void Channel::expire_if_stalled(TimePoint cutoff, std::string_view activity) {
    const auto stalled = [&](const std::optional<TimePoint>& since) { return since && *since <= cutoff; };
    const bool receiving = stalled(receiving_since_);
    if (!expired_.empty() || (!receiving && !stalled(sending_since_))) return;
    const Seconds silence = Clock::now() - (receiving ? *receiving_since_ : *sending_since_);
    const auto moved = receiving ? received_since_ : sent_since_;
    expired_ = fmt::format("{}: {} {} for {:.3g} s in {}; the node hangs or its network is down", peer_,
                           moved == 0 ? "nothing" : fmt::format("{} bytes", moved),
                           receiving ? "received" : "accepted", silence.count(), activity);
    close();
}

void Channel::fail(std::string_view problem) const {
    if (!expired_.empty()) throw DeadlineError(expired_);
    throw NodeLostError(fmt::format("{}: {}", peer_, problem));
}

}  // namespace convoy
