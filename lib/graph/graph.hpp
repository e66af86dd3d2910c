#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/operator.hpp"
#include "tensor/shape.hpp"

namespace convoy {

enum class TensorRole : std::uint8_t {
    input,          ///< an input of the network or the labels of a batch
    parameter,      ///< trained; lives as long as the back-end
    slot,           ///< optimizer state; lives as long as the back-end
    residual,       ///< what was kept of a gradient; lives as long as the back-end
    gradient,       ///< of a parameter; same shape and layout as it
    activation,     ///< lives within a step: results, their gradients, masks
    opaque,         ///< within a step, form and size are the back-end's own (argmax of a pooling)
    gradient_norm,  ///< of all gradients together before they are clipped, one number
    penalty,        ///< the L2 penalty of the network's weights, one number
    metrics,        ///< {sum of losses, correct predictions} of this node's share of the batch
    bucket,         ///< gradients or moving statistics side by side, reduced as one, or residuals
};

/// Whether a tensor keeps its values from step to step, and when programs are bound again.
constexpr bool outlives_binding(TensorRole role) {
    return role == TensorRole::parameter || role == TensorRole::slot || role == TensorRole::residual;
}

struct TensorInfo {
    std::string name;  ///< unique; parameters LAYER.weight, LAYER.bias
    Shape shape;       ///< in a graph: per example where batched; in a program: whole
    TensorRole role = TensorRole::activation;
    bool batched = false;  ///< the first axis of the real tensor is the batch
    bool operator==(const TensorInfo&) const = default;
};

enum class Initializer : std::uint8_t { zeros, ones, glorot_uniform, he_normal };

/// A tensor that the network keeps, with all that belongs to it.
struct Parameter {
    TensorId value{};
    TensorId gradient{};
    std::vector<TensorId> slots = {};
    double slot_start = 0.0;  ///< value of every slot element before the first step
    /// What this node has kept of the gradients, where not all of them travel; at first zeros.
    std::optional<TensorId> residual = {};
    Initializer initializer = Initializer::zeros;
    std::int64_t fan_in = 0;
    std::int64_t fan_out = 0;
    std::uint32_t layer = 0;  ///< position of its layer: part of the key of its random numbers
    bool trained = true;      ///< false: state such as a moving mean, without gradient, slots or update
    double l2 = 0.0;          ///< l2 times the sum of its squares is added to the loss
    bool operator==(const Parameter&) const = default;
};

/// Operators in an order in which they can run, over tensors whose batch size is open. One class serves the
/// forward network, the training step and evaluation; strategies turn it into programs.
struct Graph {
    std::vector<TensorInfo> tensors;
    std::vector<Operator> operators;
    std::vector<Parameter> parameters;

    TensorId add_tensor(TensorInfo info);
    [[nodiscard]] const TensorInfo& tensor(TensorId id) const { return tensors.at(index(id)); }

    /// Sum of the elements of all parameters.
    [[nodiscard]] std::int64_t parameter_elements() const;
    /// The same of those that are trained.
    [[nodiscard]] std::int64_t trained_elements() const;
    bool operator==(const Graph&) const = default;
};

}  // namespace convoy
