#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tensor/example_shape.hpp"

namespace convoy {

/// The function that a result goes through. A kind alone is an activation with the default slope.
struct Activation {
    enum Kind { none, relu, leaky_relu, tanh, sigmoid, softmax };

    Kind kind = none;
    /// Of leaky_relu: y = x > 0 ? x : slope x. 0.01 as in Maas, Hannun and Ng, ICML 2013, and PyTorch.
    double slope = 0.01;

    constexpr Activation() = default;
    constexpr Activation(Kind of) : kind(of) {}
    constexpr Activation(Kind of, double slope_of) : kind(of), slope(slope_of) {}
    bool operator==(const Activation&) const = default;
};
enum class Padding { valid, same };
/// The initial values of kernels. nn/initial_values.hpp has the formulas.
enum class KernelInitializer { glorot_uniform, he_normal };

/// A convolution along both axes of C,H,W, or along the one axis of a sequence C,L.
template <int axes>
struct Convolution {
    std::int64_t filters = 0;
    std::int64_t kernel = 0;  ///< along each axis
    std::int64_t stride = 1;
    Padding padding = Padding::valid;
    Activation activation = Activation::none;
    KernelInitializer initializer = KernelInitializer::glorot_uniform;
    double l2 = 0.0;  ///< l2 times the sum of the kernel's squares is added to the minimised loss
    /// Channels and filters are cut into so many groups; the filters of a group read its channels only. As
    /// many groups as channels: a depthwise convolution.
    std::int64_t groups = 1;
    bool bias = true;
    bool operator==(const Convolution&) const = default;
};
using Conv2dLayer = Convolution<2>;
using Conv1dLayer = Convolution<1>;

struct DenseLayer {
    std::int64_t units = 0;
    Activation activation = Activation::none;
    KernelInitializer initializer = KernelInitializer::glorot_uniform;
    double l2 = 0.0;  ///< as that of a convolution
    bool operator==(const DenseLayer&) const = default;
};
enum class PoolKind { max, average };
/// A pooling along both axes of C,H,W, or along the one axis of a sequence C,L.
template <int axes>
struct Pooling {
    PoolKind kind = PoolKind::max;
    std::int64_t size = 2;
    std::int64_t stride = 2;  ///< the spec's default is size
    Padding padding = Padding::valid;
    bool operator==(const Pooling&) const = default;
};
using PoolLayer = Pooling<2>;
using Pool1dLayer = Pooling<1>;

/// The mean of each channel over its whole height and width: C,H,W becomes C values. Lin, Chen, Yan, "Network
/// in network", ICLR 2014.
struct GlobalAveragePoolLayer {
    bool operator==(const GlobalAveragePoolLayer&) const = default;
};
/// y = gamma (x - mean) / sqrt(variance + epsilon) + beta for each channel. In training, mean and variance
/// are those of the node's share of the batch, or of the whole batch (StrategySpec). In evaluation, they are
/// the moving mean and variance. Ioffe and Szegedy, ICML 2015.
struct BatchNormLayer {
    double momentum = 0.99;  ///< moving = momentum moving + (1 - momentum) of this batch
    double epsilon = 1e-3;
    Activation activation = Activation::none;
    bool operator==(const BatchNormLayer&) const = default;
};
/// The sum of its inputs, which have the same shape.
struct AddLayer {
    Activation activation = Activation::none;
    bool operator==(const AddLayer&) const = default;
};
/// The concatenation of its inputs: channels of images with the same height and width, or flat features.
struct ConcatLayer {
    bool operator==(const ConcatLayer&) const = default;
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

/// One layer of a network.
struct LayerSpec {
    std::string name;  ///< unique in the network; its tensors are NAME.weight, NAME.bias
    std::variant<Conv2dLayer, DenseLayer, PoolLayer, DropoutLayer, FlattenLayer, ActivationLayer,
                 BatchNormLayer, AddLayer, ConcatLayer, GlobalAveragePoolLayer, Conv1dLayer, Pool1dLayer>
        layer;
    /// Earlier layers, or inputs of the network; empty: the layer before.
    std::vector<std::string> inputs = {};
    bool operator==(const LayerSpec&) const = default;
};

/// A network from the user's spec: the name of a known model, or inline layers.
struct ModelSpec {
    std::string name;               ///< "inline" if the spec has layers
    ExampleShape input;             ///< empty for a named model; resolve_model sets it
    std::vector<LayerSpec> layers;  ///< empty for a named model
    // What a named model may ask for; absent where it has one of its own.
    std::optional<std::int64_t> depth = {};          ///< depth of a residual network
    std::vector<std::int64_t> filters = {};          ///< filters of each convolution; empty: the model's own
    std::optional<std::int64_t> kernel = {};         ///< size of every convolution's kernel
    std::optional<double> batch_norm_momentum = {};  ///< momentum of all moving statistics
    std::optional<std::int64_t> classes = {};        ///< units of the last layer
    bool operator==(const ModelSpec&) const = default;
};

}  // namespace convoy
