#include "train/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace convoy::test {

void Agreement::agree(std::int64_t rank, const Fingerprints& fingerprints) {
    std::unique_lock lock(mutex_);
    auto& own = said_.at(static_cast<std::size_t>(rank));
    const auto round = own.size();
    own.push_back(fingerprints);
    changed_.notify_all();
    const bool settled = changed_.wait_for(lock, deadline_, [&] {
        return silent(round).empty() ||
               std::ranges::any_of(silent(round), [&](auto each) { return left_.contains(each); });
    });
    for (const auto other : silent(round)) {
        if (left_.contains(other))
            throw NodeLostError(fmt::format("node {}: ended before it agreed to the run", other));
        if (!settled) throw DeadlineError(fmt::format("node {}: said no fingerprints in time", other));
    }
    for (std::size_t other = 0; other < said_.size(); ++other) {
        if (const auto topic = first_difference(said_[other][round], fingerprints))
            throw DisagreementError(fmt::format("node {} and node {} disagree on {}", other, rank, *topic));
    }
}

void Agreement::leave(std::int64_t rank) {
    const std::lock_guard lock(mutex_);
    left_.insert(rank);
    changed_.notify_all();
}

std::vector<std::int64_t> Agreement::silent(std::size_t round) const {
    std::vector<std::int64_t> ranks;
    for (std::size_t rank = 0; rank < said_.size(); ++rank)
        if (said_[rank].size() <= round) ranks.push_back(static_cast<std::int64_t>(rank));
    return ranks;
}

}  // namespace convoy::test
