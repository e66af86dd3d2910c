#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "plan/cluster_model.hpp"
#include "plan/data_shape.hpp"
#include "program/program.hpp"
#include "spec/experiment_spec.hpp"
#include "strategy/layer_memory.hpp"
#include "strategy/layer_order.hpp"
#include "strategy/layer_traffic.hpp"
#include "strategy/stage_nodes.hpp"

namespace convoy {

/// Whether the data of a stage counts as memory that it needs.
enum class DataCounts : bool { no, yes };

/// What the layers of a network cost as stages of model_split on a cluster. Refers to spec and cluster.
class LayerCosts {
  public:
    LayerCosts(const ExperimentSpec& spec, const DataShape& shape, const Graph& training,
               const ClusterModel& cluster);

    [[nodiscard]] const std::vector<std::string>& names() const { return order_.names(); }

    /// The time of a stage that has these layers in a step: its operators on the whole batch, and the larger
    /// of what it sends and receives. Absent: the memory of its nodes has no room for it.
    [[nodiscard]] std::optional<double> seconds(LayerRange layers, std::size_t stage, DataCounts data) const;

    /// By layer, the stage where it would finish first, placed one after the other in the order of the
    /// network; a tensor from another stage takes its time on the link.
    [[nodiscard]] std::vector<std::size_t> greedy(std::size_t stages) const;

    /// The time of the slowest stage in a step, if layers are placed so: its operators, and its messages.
    /// placed: by layer, its stage.
    [[nodiscard]] double slowest(const std::vector<std::size_t>& placed, std::size_t stages) const;

  private:
    /// By layer, on the slowest node of a stage.
    [[nodiscard]] std::vector<double> seconds_on_stage(std::size_t stage) const;
    [[nodiscard]] std::vector<double> seconds_on(std::int64_t rank) const;

    const ExperimentSpec& spec_;
    const ClusterModel& cluster_;
    Program program_;  ///< the training step of the largest replica
    LayerOrder order_;
    LayerTraffic traffic_;
    LayerMemory memory_;
    StageNodes nodes_;
    std::vector<std::vector<double>> seconds_;  ///< by stage and layer
};

}  // namespace convoy
