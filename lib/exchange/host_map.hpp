#pragma once

#include <cstdint>
#include <vector>

namespace convoy {

/// The host of each rank of a run.
class HostMap {
  public:
    /// Each rank has a host of its own.
    explicit HostMap(std::int64_t world_size);
    /// host_of_rank: any numbers; ranks on the same host have the same number.
    explicit HostMap(std::vector<std::int64_t> host_of_rank);

    [[nodiscard]] std::int64_t world_size() const { return static_cast<std::int64_t>(host_of_rank_.size()); }
    [[nodiscard]] bool together(std::int64_t rank, std::int64_t other) const {
        return host_of(rank) == host_of(other);
    }
    /// The number of the rank's host. All ranks of a host have the same number.
    [[nodiscard]] std::int64_t host_of(std::int64_t rank) const {
        return host_of_rank_.at(static_cast<std::size_t>(rank));
    }
    /// The ranks on the host of `rank`, itself included, in ascending order.
    [[nodiscard]] std::vector<std::int64_t> neighbours(std::int64_t rank) const;
    /// The lowest rank of each host, in ascending order.
    [[nodiscard]] const std::vector<std::int64_t>& leaders() const { return leaders_; }
    /// The largest number of ranks on one host.
    [[nodiscard]] std::int64_t most_on_a_host() const { return most_on_a_host_; }

  private:
    std::vector<std::int64_t> host_of_rank_, leaders_;
    std::int64_t most_on_a_host_ = 0;
};

}  // namespace convoy
