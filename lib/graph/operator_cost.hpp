#pragma once

#include <cstdint>
#include <span>

#include "graph/graph.hpp"

namespace convoy {

/// The work of one run of an operator: operations, and bytes read and written.
struct OperatorCost {
    std::int64_t flops = 0;
    std::int64_t read_bytes = 0;
    std::int64_t written_bytes = 0;
    bool operator==(const OperatorCost&) const = default;

    /// Read and written. Throws SizeError if the sum does not fit 64 bits.
    [[nodiscard]] std::int64_t moved_bytes() const;
    /// Throws SizeError if a sum does not fit 64 bits.
    OperatorCost& operator+=(const OperatorCost& more);
};

/// The cost of one run of an operator. tensors: all tensors of its program, by id. With the tensors of a
/// graph, whose shapes have no batch, the FLOPs of convolutions and matrix products are those of one example.
///
/// FLOPs. A multiply-add counts as two. An addition, multiplication, division, comparison or choice counts as
/// one, and so does a call of exp, log, tanh, sigmoid or sqrt. Convolutions count padding like pixels, for
/// any algorithm. Work that is done once for a channel or a row is not counted, since it is small beside the
/// work for each element. A fused operator counts as the operators that it stands for. FLOPs for each
/// element:
///
///     bias, ReLU and its gradient, scale, square, sum, add              1
///     gradients of tanh and sigmoid                                     3
///     softmax 5, its gradient 4; loss 6, with its gradient              8
///     pooling, of each result: the window's size; the gradient of an average: one more
///     batch normalisation: moments 4, normalising 4, gradient's sums 5, gradient of x 4
///     updates: gradient descent 2, momentum 4, Adagrad 7, Adadelta 16, Adam 12, a decay folded in 2 more
///     clipping: norm 2, scaling by it 1, by its own norm 3, by value 2
///
/// Bytes. Each operand is read once and each result is written once. An operand that is changed in place is
/// read and written. A kernel that reads an operand twice moves more bytes; a kernel that finds it in a cache
/// moves fewer. Activations, their gradients and inputs take activation_bytes for each element (4, or 2 if
/// the compute type is bfloat16), argmax takes 1, an exact sum 8, all others 4.
///
/// Reshaping costs nothing; a reorder that a back-end needs is a kernel of the back-end. Exchanges cost
/// nothing here; exchange_cost() counts their bytes and additions.
///
/// Throws SizeError, which names the operator, if a number does not fit 64 bits.
OperatorCost operator_cost(const Operator& op, std::span<const TensorInfo> tensors,
                           std::int64_t activation_bytes = 4);

/// The bytes of one element of a tensor. activation_bytes: see operator_cost.
std::int64_t element_bytes(const TensorInfo& tensor, std::int64_t activation_bytes);

/// Whether an operator is a convolution or matrix product, or a gradient of one. Published FLOP counts of
/// networks count these operators.
bool is_product(OperatorKind kind);

/// Whether an operator is a pooling over windows, or a gradient of one.
bool is_pooling(OperatorKind kind);

}  // namespace convoy
