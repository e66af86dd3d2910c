#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/graph.hpp"
#include "plan/cluster_model.hpp"
#include "plan/plan.hpp"
#include "program/program.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// The time of one operator of a program at these speeds, in seconds: the FLOPs of a product, or the bytes of
/// any other operator, over the speed of its kind. Absent if its speed was not measured.
std::optional<double> seconds_of(const Program& program, const Operator& op, const NodeSpeeds& speeds,
                                 std::int64_t activation_bytes);

/// The measured speeds of a node. A speed that was not measured is that of a usual core, times the cores that
/// the node has on its host.
NodeSpeeds speeds_or_defaults(const ClusterModel& cluster, std::int64_t rank);

/// The time that one more example adds to the computation of a training step, for each node, in seconds.
/// Each kind of product takes its FLOPs over the node's measured speed, pooling its bytes over the speed of
/// pooling, and all other operators together take their bytes over the speed of elementwise operators.
/// Updates do not count: their time does not depend on the number of examples. Throws DataError, which tells
/// how to calibrate, if the cluster has no measured speed for a kind of operator that the network has.
std::vector<double> seconds_of_example(const ExperimentSpec& spec, const Graph& training,
                                       const ClusterModel& cluster);

/// The weights of the replicas in a batch, as ShardingRequest has them: none with equal shares, or if there
/// is one replica only. Throws as seconds_of_example.
std::vector<double> batch_weights(const ExperimentSpec& spec, const Graph& training,
                                  const ClusterModel& cluster, std::int64_t replicas);

/// The shares of a whole batch that are not equal, beside equal ones.
struct BatchBalance {
    std::vector<std::int64_t> shares = {}, equal_shares = {};  ///< examples of each node
    /// The predicted computation of the slowest node, forward and backward, in seconds: with these shares and
    /// with equal ones. Absent if the speeds of the nodes were not measured.
    std::optional<double> predicted_s = {}, predicted_equal_s = {};
    bool operator==(const BatchBalance&) const = default;
};

/// What `balance` changes. Absent with equal shares, or if the nodes do not share a batch. plan: of this
/// spec. training: its graph.
std::optional<BatchBalance> batch_balance(const ExperimentSpec& spec, const Graph& training,
                                          const Plan& plan);

}  // namespace convoy
