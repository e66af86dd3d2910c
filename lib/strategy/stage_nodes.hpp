#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "plan/cluster_model.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// The nodes that have the same stage of model_split, one of each replica. The slowest of them decides, and
/// the one with the least memory. Refers to its arguments.
class StageNodes {
  public:
    StageNodes(const ExperimentSpec& spec, const ClusterModel& cluster) : spec_(spec), cluster_(cluster) {}

    [[nodiscard]] std::size_t stages() const {
        return static_cast<std::size_t>(spec_.world_size() / spec_.strategy.replicas);
    }
    [[nodiscard]] std::vector<std::int64_t> ranks_of(std::size_t stage) const;
    /// The least memory that a node of this stage has: a host gives each of its nodes an equal part. Absent:
    /// unknown.
    [[nodiscard]] std::optional<double> room_of(std::size_t stage) const;
    /// The time of so many bytes on the slowest link to a neighbour in the same replica. An unknown link
    /// takes none.
    [[nodiscard]] double link_seconds(std::size_t stage, double bytes) const;

  private:
    const ExperimentSpec& spec_;
    const ClusterModel& cluster_;
};

}  // namespace convoy
