#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exchange/host_map.hpp"
#include "graph/graph.hpp"
#include "plan/cluster_model.hpp"
#include "plan/data_plan.hpp"
#include "plan/data_shape.hpp"
#include "plan/node_plan.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// What a strategy compiles plans from. It refers to values that outlive it.
struct CompileInput {
    const ExperimentSpec& spec;
    const Graph& training;    ///< a whole step: forward, loss, backward, updates
    const Graph& evaluation;  ///< forward, loss, probabilities
    const DataPlan& data;
    const DataShape& shape;       ///< of the dataset
    const HostMap& hosts;         ///< which ranks share a host
    const ClusterModel& cluster;  ///< `auto` algorithms come from its measurements
    [[nodiscard]] std::int64_t ranks() const { return hosts.world_size(); }
};

/// A way to distribute training: one row of the table of strategies. Nothing else in the project knows it.
struct Strategy {
    StrategyName name;
    /// The ranks of a run (its nodes, and those that the strategy adds to them): by rank the replica of the
    /// network that it computes with, see ShardingRequest.
    std::vector<std::int64_t> (*replicas)(const ExperimentSpec& spec);
    /// The plan of one rank. A pure function. Throws DataError where the network cannot be trained so.
    NodePlan (*compile)(const CompileInput& input, std::int64_t rank);
};

/// All strategies.
std::span<const Strategy> strategies();
const Strategy& strategy_of(StrategyName name);

}  // namespace convoy
