#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "plan/data_need.hpp"
#include "plan/data_shape.hpp"
#include "program/program.hpp"
#include "spec/experiment_spec.hpp"
#include "strategy/layer_order.hpp"

namespace convoy {

/// The memory that the layers of a network need on the node that trains them.
class LayerMemory {
  public:
    /// program: of the training step of one replica, whose examples are `own`. spec: is kept as a reference.
    LayerMemory(const ExperimentSpec& spec, const DataShape& shape, const OwnExamples& own,
                const Program& program, const LayerOrder& order);

    /// Bytes that a stage of these layers needs, apart from data and messages: parameters, a copy of them,
    /// slots, gradients, and the activations of the micro-batches that the schedule keeps in that stage.
    [[nodiscard]] double bytes(LayerRange layers, std::size_t stage) const;
    /// Bytes of the data that a stage reads: all values if it reads them, and all labels in the last stage.
    [[nodiscard]] double data_bytes(LayerRange layers) const;

  private:
    void find_parameters(const Program& program, const LayerOrder& order);
    void find_activations(const Program& program, const LayerOrder& order);
    void find_data(const DataShape& shape, const OwnExamples& own, const Program& program,
                   const LayerOrder& order);
    /// The micro-batches whose activations a stage keeps at the same time.
    [[nodiscard]] std::int64_t kept_micro_batches(std::size_t stage) const;

    const ExperimentSpec& spec_;
    std::vector<double> parameters_;     ///< by layer: bytes of parameters and what goes with them
    std::vector<double> activations_;    ///< by layer: bytes that a forward pass keeps for its backward pass
    std::set<std::size_t> read_values_;  ///< layers
    double values_bytes_ = 0.0, labels_bytes_ = 0.0;
};

}  // namespace convoy
