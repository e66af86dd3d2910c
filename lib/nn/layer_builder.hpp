#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "graph/graph.hpp"
#include "spec/model_spec.hpp"

namespace convoy {

/// Appends the forward operators and the parameters of one layer to a graph.
class LayerBuilder {
  public:
    /// position: of the layer in the network, the key of its random numbers. A dropout builds nothing unless
    /// training. The last layer's softmax is left to the loss operator, which is exact where a softmax in
    /// between would round.
    LayerBuilder(Graph& graph, const LayerSpec& spec, std::size_t position, bool training, bool last)
        : graph_(graph), spec_(spec), position_(position), training_(training), last_(last) {}

    /// Returns the layer's result; inputs: of the layers that it reads. Throws DataError with the layer's
    /// path where it does not fit its input.
    TensorId build(std::span<const TensorId> inputs);

    /// The layer's type as the spec names it.
    [[nodiscard]] std::string type() const;

  private:
    TensorId add(TensorId input, const Conv2dLayer& layer);
    TensorId add(TensorId input, const DenseLayer& layer);
    TensorId add(TensorId input, const PoolLayer& layer);
    TensorId add(TensorId input, const DropoutLayer& layer);
    TensorId add(TensorId input, const FlattenLayer& layer);
    TensorId add(TensorId input, const ActivationLayer& layer);
    TensorId add(TensorId input, const BatchNormLayer& layer);
    TensorId sum(std::span<const TensorId> inputs, const AddLayer& layer);
    TensorId side_by_side(std::span<const TensorId> inputs);

    TensorId activate(TensorId input, Activation activation);
    TensorId add_bias(TensorId input, std::int64_t channels);
    TensorId add_parameter(const std::string& suffix, const Shape& shape, const Parameter& like);
    TensorId apply(OperatorKind kind, std::vector<TensorId> inputs, const Shape& shape,
                   const std::string& suffix, Attributes attributes = {});
    [[nodiscard]] const Shape& shape(TensorId id) const { return graph_.tensor(id).shape; }
    [[noreturn]] void fail(const std::string& problem) const;

    Graph& graph_;
    const LayerSpec& spec_;
    std::size_t position_;
    bool training_;
    bool last_;
};

}  // namespace convoy
