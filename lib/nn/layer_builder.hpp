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
    /// position: the position of the layer in the network; its random numbers depend on it. A dropout builds
    /// operators only for training. The loss operator computes the softmax of the last layer itself, since a
    /// separate softmax would round.
    LayerBuilder(Graph& graph, const LayerSpec& spec, std::size_t position, bool training, bool last)
        : graph_(graph), spec_(spec), position_(position), training_(training), last_(last) {}

    /// Builds the layer and returns its result. inputs: the results of the layers that it reads. Throws a
    /// DataError with the layer's path if the layer does not fit its inputs, or is too large (check_size).
    TensorId build(std::span<const TensorId> inputs);

    /// The layer's type, by its name in the spec.
    [[nodiscard]] std::string type() const;

  private:
    TensorId add_layer(std::span<const TensorId> inputs);
    template <int axes>
    TensorId add(TensorId input, const Convolution<axes>& layer);
    TensorId add(TensorId input, const DenseLayer& layer);
    template <int axes>
    TensorId add(TensorId input, const Pooling<axes>& layer);
    TensorId add(TensorId input, const GlobalAveragePoolLayer& layer);
    TensorId add(TensorId input, const DropoutLayer& layer);
    TensorId add(TensorId input, const FlattenLayer& layer);
    TensorId add(TensorId input, const ActivationLayer& layer);
    TensorId add(TensorId input, const BatchNormLayer& layer);
    TensorId sum(std::span<const TensorId> inputs, const AddLayer& layer);
    TensorId side_by_side(std::span<const TensorId> inputs);

    /// The channels that a filter reads. Fails if the groups do not divide channels and filters.
    [[nodiscard]] std::int64_t channels_of_group(std::int64_t channels, std::int64_t filters,
                                                 std::int64_t groups) const;
    /// The window of a layer. name: what the layer calls it, for errors.
    template <int axes>
    [[nodiscard]] WindowAttributes window_over(const Shape& input, const char* name, std::int64_t size,
                                               std::int64_t stride, Padding padding) const;
    TensorId activate(TensorId input, const Activation& activation);
    TensorId add_bias(TensorId input, std::int64_t channels);
    TensorId add_parameter(const std::string& suffix, const Shape& shape, const Parameter& like);
    TensorId add_tensor(TensorInfo info);
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
