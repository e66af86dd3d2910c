#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tensor/shape.hpp"

namespace convoy {

enum class Activation { none, relu, tanh, sigmoid, softmax };
enum class Padding { valid, same };

struct Conv2dLayer {
    std::int64_t filters = 0;
    std::int64_t kernel = 0;  ///< square: kernel x kernel
    std::int64_t stride = 1;
    Padding padding = Padding::valid;
    Activation activation = Activation::none;
    bool operator==(const Conv2dLayer&) const = default;
};
struct DenseLayer {
    std::int64_t units = 0;
    Activation activation = Activation::none;
    bool operator==(const DenseLayer&) const = default;
};
enum class PoolKind { max, average };
struct PoolLayer {
    PoolKind kind = PoolKind::max;
    std::int64_t size = 2;
    std::int64_t stride = 2;  ///< the spec's default is size
    Padding padding = Padding::valid;
    bool operator==(const PoolLayer&) const = default;
};
struct DropoutLayer {
    double rate = 0.5;  ///< share of elements that are zeroed in training, in [0, 0.999]
    bool operator==(const DropoutLayer&) const = default;
};
struct FlattenLayer {
    bool operator==(const FlattenLayer&) const = default;
};
struct ActivationLayer {
    Activation activation = Activation::relu;
    bool operator==(const ActivationLayer&) const = default;
};

/// One layer of a sequential network; its input is the layer before.
struct LayerSpec {
    std::string name;  ///< unique in the network; names its tensors: NAME.weight, NAME.bias
    std::variant<Conv2dLayer, DenseLayer, PoolLayer, DropoutLayer, FlattenLayer, ActivationLayer> layer;
    bool operator==(const LayerSpec&) const = default;
};

/// A network as the user writes it: a name of the model zoo, or layers given inline.
struct ModelSpec {
    std::string name;               ///< "inline" where the layers are given
    Shape input;                    ///< C, H, W; empty for a named model (the zoo fills it in)
    std::vector<LayerSpec> layers;  ///< empty for a named model
    bool operator==(const ModelSpec&) const = default;
};

}  // namespace convoy
