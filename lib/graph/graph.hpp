#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/operator.hpp"
#include "tensor/shape.hpp"

namespace convoy {

/// What a tensor is for, and so how long it lives.
enum class TensorRole : std::uint8_t {
    input,          ///< an input of the network or the labels of a batch
    parameter,      ///< trained; lives as long as the back-end
    slot,           ///< optimizer state; lives as long as the back-end
    residual,       ///< the unsent part of a gradient; lives as long as the back-end
    gradient,       ///< gradient of a parameter; same shape and layout as the parameter
    activation,     ///< lives within a step: results, their gradients, masks
    opaque,         ///< within a step, form and size are the back-end's own (argmax of a pooling)
    gradient_norm,  ///< norm of all gradients together before clipping, one number
    penalty,        ///< the L2 penalty of the network's weights, one number
    metrics,        ///< {sum of losses, correct predictions} of this node's share of the batch
    bucket,         ///< gradients, moving statistics or residuals, side by side
};

/// Whether a tensor keeps its values from step to step, and when programs are bound again.
constexpr bool outlives_binding(TensorRole role) {
    return role == TensorRole::parameter || role == TensorRole::slot || role == TensorRole::residual;
}

/// A tensor of a graph or of a program, without its values.
struct TensorInfo {
    std::string name;  ///< unique; parameters LAYER.weight, LAYER.bias
    Shape shape;       ///< in a graph: of one example if batched; in a program: of the whole tensor
    TensorRole role = TensorRole::activation;
    bool batched = false;  ///< the first axis of the real tensor is the batch
    bool operator==(const TensorInfo&) const = default;
};

/// The largest number of elements of a tensor. As float32 they take the 2^47 bytes that a process can address
/// on x86-64, so no host can hold more.
inline constexpr std::int64_t most_tensor_elements = std::int64_t{1} << 45;

/// Throws SizeError, which names the tensor, if it has more elements.
void check_size(const TensorInfo& tensor);

enum class Initializer : std::uint8_t { zeros, ones, glorot_uniform, he_normal };

/// A tensor that the network keeps between steps, and the tensors and settings that belong to it.
struct Parameter {
    TensorId value{};
    TensorId gradient{};
    std::vector<TensorId> slots = {};
    double slot_start = 0.0;  ///< value of every slot element before the first step
    /// The unsent part of this node's gradients, with WireType::top_k; zeros at first.
    std::optional<TensorId> residual = {};
    Initializer initializer = Initializer::zeros;
    std::int64_t fan_in = 0;
    std::int64_t fan_out = 0;
    std::uint32_t layer = 0;  ///< position of its layer: part of the key of its random numbers
    bool trained = true;      ///< false: a moving statistic, without gradient, slots or update
    double l2 = 0.0;          ///< l2 times the sum of its squares is added to the loss
    bool operator==(const Parameter&) const = default;
};

/// Operators in an order in which they can run, over tensors whose batch size is open. The forward network,
/// the training step and the evaluation are graphs. Strategies make programs of them.
struct Graph {
    std::vector<TensorInfo> tensors;
    std::vector<Operator> operators;
    std::vector<Parameter> parameters;

    TensorId add_tensor(TensorInfo info);
    [[nodiscard]] const TensorInfo& tensor(TensorId id) const { return tensors.at(index(id)); }

    /// Sum of the elements of all parameters. Throws SizeError if it does not fit 64 bits.
    [[nodiscard]] std::int64_t parameter_elements() const;
    /// The same for all trained parameters.
    [[nodiscard]] std::int64_t trained_elements() const;
    bool operator==(const Graph&) const = default;
};

}  // namespace convoy
