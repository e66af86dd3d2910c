#include "net/channel.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace convoy {

Channel::Waiting::Waiting(Channel& channel, Direction direction) : since_(channel.wait_of(direction).since) {
    channel.wait_of(direction) = {.since = Clock::now()};
}

Channel::Waiting::~Waiting() {
    since_.reset();
}

boost::asio::awaitable<bool> Channel::seal_fits(std::span<const std::byte> /*header*/,
                                                std::span<const std::byte> /*payload*/,
                                                std::span<const std::byte> /*arrived*/) {
    throw InternalError(fmt::format("{}: has no seals", peer_));
}

void Channel::progress(Direction direction, std::size_t bytes) {
    auto& wait = wait_of(direction);
    wait.bytes += bytes;
    if (wait.bytes >= bytes_that_count) wait = {.since = Clock::now()};
    (direction == Direction::send ? sent_ : received_).fetch_add(bytes, std::memory_order_relaxed);
}

void Channel::expire_if_stalled(TimePoint cutoff, std::string_view activity) {
    const auto stalled = [&](const Wait& wait) { return wait.since && *wait.since <= cutoff; };
    const bool receiving = stalled(receiving_);
    if (!expired_.empty() || (!receiving && !stalled(sending_))) return;
    const auto& wait = receiving ? receiving_ : sending_;
    const Seconds silence = Clock::now() - *wait.since;
    expired_ = fmt::format("{}: {} {} for {:.3g} s in {}; the node hangs or its network is down", peer_,
                           wait.bytes == 0 ? "nothing" : fmt::format("{} bytes", wait.bytes),
                           receiving ? "received" : "accepted", silence.count(), activity);
    close();
}

void Channel::fail(std::string_view problem) const {
    if (!expired_.empty()) throw DeadlineError(expired_);
    throw NodeLostError(fmt::format("{}: {}", peer_, problem));
}

}  // namespace convoy
