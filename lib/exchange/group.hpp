#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exchange/host_map.hpp"

namespace convoy {

/// The ranks that take part in an exchange, in the order of the summands. Algorithms work on positions in a
/// group, counted from 0. This class translates between positions and ranks.
class Group {
  public:
    /// ranks: empty for all ranks of the run. world_size: the number of ranks of the run. Throws
    /// InternalError if a rank occurs twice or is not a rank of the run.
    Group(std::span<const std::int64_t> ranks, std::int64_t world_size);

    [[nodiscard]] std::int64_t size() const { return size_; }
    [[nodiscard]] std::int64_t rank_at(std::int64_t position) const;
    /// Throws InternalError if the rank is not in the group.
    [[nodiscard]] std::int64_t position_of(std::int64_t rank) const;
    /// Whether the group has all ranks of the run, each at the position of its number.
    [[nodiscard]] bool identity() const { return ranks_.empty(); }
    /// The hosts of the positions. hosts: the hosts of the ranks of the run.
    [[nodiscard]] HostMap hosts(const HostMap& hosts) const;
    /// A hash of the ranks, their order and the root. Two different groups have the same number only by
    /// chance (1 in 65,536). It is 0 for all ranks of the run in their order without a root (root = -1).
    [[nodiscard]] std::uint16_t fingerprint(std::int64_t root = -1) const;

  private:
    std::vector<std::int64_t> ranks_;  // by position; empty: position and rank are the same
    std::int64_t size_;
};

/// `count` ranks from `first` on, in ascending order.
std::vector<std::int64_t> consecutive_ranks(std::int64_t first, std::int64_t count);

}  // namespace convoy
