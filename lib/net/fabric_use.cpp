#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "net/fabric.hpp"

namespace convoy {

Fabric::Use::Use(Fabric& fabric, std::string_view activity, std::span<const std::int64_t> send_to,
                 std::span<const std::int64_t> receive_from, const WaitMark* waited)
    : fabric_(fabric), activity_(activity), waited_(waited) {
    const auto take = [](Links& links, std::int64_t peer, std::string_view direction) {
        auto& link = find(links, peer, direction);
        if (link.used)
            throw InternalError(fmt::format("two exchanges on the link {} node {}", direction, peer));
        return &link;
    };
    for (const auto peer : send_to) to_.push_back(take(fabric.to_, peer, "to"));
    for (const auto peer : receive_from) {
        auto* link = take(fabric.from_, peer, "from");
        from_.push_back({link, link->channel->received_bytes()});
    }
    for (auto* link : to_) link->used = true;
    for (const auto& incoming : from_) incoming.link->used = true;
    fabric_.uses_.push_back(this);
    if (!fabric_.armed_) fabric_.arm();
}

// The timer stays armed, to be found so by the next exchange; it ends by itself where none comes.
Fabric::Use::~Use() {
    const auto release = [this](Link& link) {
        link.used = fabric_.failure_.has_value();  // the peer of such a link was told, and nobody need again
        ++link.sequence;
    };
    for (auto* link : to_) release(*link);
    for (const auto& incoming : from_) release(*incoming.link);
    std::erase(fabric_.uses_, this);
    if (fabric_.failure_ && fabric_.uses_.empty()) fabric_.close();
}

std::optional<TimePoint> Fabric::Use::waited_progress() const {
    auto latest = waited_ == nullptr ? std::nullopt : waited_->since();
    if (!latest) return std::nullopt;
    for (const auto* link : to_) latest = std::max(latest, link->channel->waiting_since());
    for (const auto& incoming : from_) latest = std::max(latest, incoming.link->channel->waiting_since());
    return latest;
}

void Fabric::Use::expire(TimePoint cutoff, bool counts) const {
    const bool always = waited_ == nullptr;
    counts = always || (counts && waited_->since());
    for (const auto* link : to_) {
        if (counts) expire(*link, cutoff);
    }
    for (const auto& incoming : from_) {
        if (counts || incoming.heard()) expire(*incoming.link, cutoff);
    }
}

void Fabric::Use::expire(const Link& link, TimePoint cutoff) const {
    if (const auto since = link.channel->waiting_since(); since && *since <= cutoff)
        link.channel->expire_if_stalled(cutoff, fmt::format("{} {}", activity_, link.sequence));
}

Fabric::Use Fabric::use(std::string_view activity, std::span<const std::int64_t> send_to,
                        std::span<const std::int64_t> receive_from, const WaitMark* waited) {
    if (failure_) std::rethrow_exception(failure_->cause);
    return {*this, activity, send_to, receive_from, waited};
}

void Fabric::check_deadlines() {
    const auto now = Clock::now();
    if (hurry_until_ && now >= *hurry_until_) return expire_all(now);
    const auto cutoff = now - options_.deadline;
    const bool moved = std::ranges::any_of(uses_, [&](const Use* use) {
        const auto progress = use->waited_progress();
        return progress && *progress > cutoff;
    });
    for (const auto* use : uses_) use->expire(cutoff, !moved);
}

void Fabric::expire_all(TimePoint cutoff) {
    for (const auto* links : {&to_, &from_}) {
        for (const auto& [peer, link] : *links)
            link->channel->expire_if_stalled(cutoff, fmt::format("exchange {}", link->sequence));
    }
}

}  // namespace convoy
