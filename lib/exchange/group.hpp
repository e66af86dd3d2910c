#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exchange/host_map.hpp"

namespace convoy {

/// The ranks that take part in an exchange, in the order in which sums are taken. Algorithms work on
/// positions in a group, from 0; this class translates between positions and ranks.
class Group {
  public:
    /// ranks: empty for all of a run of world_size ranks. Throws InternalError where a rank occurs twice or
    /// is not one of the run.
    Group(std::span<const std::int64_t> ranks, std::int64_t world_size);

    [[nodiscard]] std::int64_t size() const { return size_; }
    [[nodiscard]] std::int64_t rank_at(std::int64_t position) const;
    /// Throws InternalError where the rank is not in the group.
    [[nodiscard]] std::int64_t position_of(std::int64_t rank) const;
    /// Whether the position of each rank of the run is its number.
    [[nodiscard]] bool identity() const { return ranks_.empty(); }
    /// Which positions share a host. hosts: of the ranks of the run.
    [[nodiscard]] HostMap hosts(const HostMap& hosts) const;
    /// A number that two groups share only by chance (1 in 65,536): of the ranks, their order, and root. 0
    /// for all ranks of the run in their order, without a root (root -1).
    [[nodiscard]] std::uint16_t fingerprint(std::int64_t root = -1) const;

  private:
    std::vector<std::int64_t> ranks_;  // by position; empty: position and rank are the same
    std::int64_t size_;
};

}  // namespace convoy
