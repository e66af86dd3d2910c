#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "program/program.hpp"
#include "strategy/layer_order.hpp"

namespace convoy {

/// A tensor that travels if a cut lies between the layer that writes it and one that reads it. It counts
/// once, however many stages read it.
struct PassedTensor {
    std::size_t writer = 0;         ///< a layer
    std::set<std::size_t> readers;  ///< other layers; at least one
    double bytes = 0.0;
};

/// The bytes that a stage receives and sends in a step: activations and their gradients.
struct BytesOfStage {
    double received = 0.0, sent = 0.0;
};

/// What passes between the layers of a program.
class LayerTraffic {
  public:
    LayerTraffic(const Program& program, const LayerOrder& order);

    [[nodiscard]] const std::vector<PassedTensor>& tensors() const { return tensors_; }
    /// Of a stage that has these layers.
    [[nodiscard]] BytesOfStage of(LayerRange layers) const;

  private:
    std::vector<PassedTensor> tensors_;
};

}  // namespace convoy
