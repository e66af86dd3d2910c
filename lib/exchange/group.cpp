#include "exchange/group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"

namespace convoy {
namespace {

void check_ranks(std::span<const std::int64_t> ranks, std::int64_t world_size) {
    std::vector<std::int64_t> sorted(ranks.begin(), ranks.end());
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end())
        throw InternalError("a group with a rank that occurs twice");
    if (!sorted.empty() && (sorted.front() < 0 || sorted.back() >= world_size)) {
        throw InternalError(fmt::format("a group with ranks from {} to {} in a run of {}", sorted.front(),
                                        sorted.back(), world_size));
    }
}

bool all_in_order(std::span<const std::int64_t> ranks, std::int64_t world_size) {
    return std::ssize(ranks) == world_size && std::ranges::is_sorted(ranks);
}

/// One more number into a 32-bit hash (Fowler, Noll and Vo's FNV-1a, byte by byte).
std::uint32_t hash_in(std::uint32_t hash, std::int64_t number) {
    for (unsigned shift = 0; shift < 64; shift += 8) {
        hash ^= static_cast<std::uint32_t>((static_cast<std::uint64_t>(number) >> shift) & 0xFFU);
        hash *= 16'777'619U;
    }
    return hash;
}

}  // namespace

Group::Group(std::span<const std::int64_t> ranks, std::int64_t world_size)
    : size_(ranks.empty() ? world_size : std::ssize(ranks)) {
    if (ranks.empty()) return;
    check_ranks(ranks, world_size);
    if (!all_in_order(ranks, world_size)) ranks_.assign(ranks.begin(), ranks.end());
}

std::int64_t Group::rank_at(std::int64_t position) const {
    return identity() ? position : ranks_.at(static_cast<std::size_t>(position));
}

std::int64_t Group::position_of(std::int64_t rank) const {
    if (identity() && rank >= 0 && rank < size_) return rank;
    const auto found = std::ranges::find(ranks_, rank);
    if (found == ranks_.end())
        throw InternalError(fmt::format("rank {} is not in the group of its exchange", rank));
    return found - ranks_.begin();
}

HostMap Group::hosts(const HostMap& hosts) const {
    std::vector<std::int64_t> host_of;
    for (std::int64_t position = 0; position < size_; ++position)
        host_of.push_back(hosts.host_of(rank_at(position)));
    return HostMap(std::move(host_of));
}

std::uint16_t Group::fingerprint(std::int64_t root) const {
    if (identity() && root < 0) return 0;
    std::uint32_t hash = 2'166'136'261U;
    hash = hash_in(hash, root);
    for (std::int64_t position = 0; position < size_; ++position) hash = hash_in(hash, rank_at(position));
    return static_cast<std::uint16_t>(hash >> 16U ^ (hash & 0xFFFFU));
}

std::vector<std::int64_t> consecutive_ranks(std::int64_t first, std::int64_t count) {
    std::vector<std::int64_t> ranks(static_cast<std::size_t>(count));
    std::iota(ranks.begin(), ranks.end(), first);
    return ranks;
}

}  // namespace convoy
