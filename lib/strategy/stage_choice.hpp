#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "plan/cluster_model.hpp"
#include "plan/data_shape.hpp"
#include "spec/experiment_spec.hpp"
#include "strategy/layer_order.hpp"

namespace convoy {

/// The time of one step of a stage that has these layers. Absent: the node of this stage has no memory for
/// them.
using StageSeconds = std::function<std::optional<double>(LayerRange layers, std::size_t stage)>;

/// Cuts layers into contiguous stages, each of at least one layer, so that the slowest stage takes the least
/// time. Returns the end of each stage: by stage the number of layers up to its last. Absent: no
/// cut fits. By dynamic programming, in
/// O(stages layers^2) calls of `seconds`.
std::optional<std::vector<std::size_t>> best_cut(std::size_t layers, std::size_t stages,
                                                 const StageSeconds& seconds);

/// The layers of each stage as best_cut finds them for `strategy.stages` as a number.
///
/// The time of a stage: its operators on the whole batch, by the measured speeds of its node, and the larger
/// of what it sends and receives, over the slowest link to its neighbours; a tensor counts once however many
/// stages read it. Without measured speeds each core
/// of a host has the same; an unknown link costs nothing. With replicas, the slowest node of a stage and the
/// one with least memory count. Its memory: parameters, a copy of them, slots and gradients, the
/// activations of the micro-batches that its schedule keeps, messages, and its data
/// (plan/data_need.hpp); a host gives each of its nodes an equal part. If no cut has room for the data, the
/// cut is that without them. Layers are in the order of the network; the loss belongs to the last.
///
/// Throws DataError if the network has fewer layers than stages, or if no cut fits the memory.
std::vector<std::vector<std::string>> chosen_stages(const ExperimentSpec& spec, const DataShape& shape,
                                                    const Graph& training, const ClusterModel& cluster);

/// The predicted time of the slowest stage in a step, its operators and messages, for stages that convoy
/// chooses.
struct StagePrediction {
    double chosen_s = 0.0;
    /// If each layer were placed, in the order of the network, on the node where it would finish first: the
    /// heuristic of TensorFlow's placement on measured costs (Abadi et al., "TensorFlow: Large-Scale Machine
    /// Learning on Heterogeneous Distributed Systems", 2015, section 3.2.1).
    double greedy_s = 0.0;
};
StagePrediction predicted_stages(const ExperimentSpec& spec, const DataShape& shape, const Graph& training,
                                 const ClusterModel& cluster);

}  // namespace convoy
