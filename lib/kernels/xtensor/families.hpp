#pragma once

#include <functional>
#include <vector>

#include "kernels/xtensor/memory.hpp"
#include "program/kernel.hpp"

/// Each function binds the operators of one family of kinds. The result runs the operator on memory that was
/// looked up once. It is empty if the kind belongs to another family.
namespace convoy::plain {

using Run = std::function<void(const StepContext&)>;

template <typename Scalar>
Run bind_convolution(const Operator& op, const Memory<Scalar>& memory);
template <typename Scalar>
Run bind_dense(const Operator& op, const Memory<Scalar>& memory);
template <typename Scalar>
Run bind_activation(const Operator& op, const Memory<Scalar>& memory);
template <typename Scalar>
Run bind_batch_norm(const Operator& op, const Memory<Scalar>& memory);
template <typename Scalar>
Run bind_pooling(const Operator& op, const Memory<Scalar>& memory);
template <typename Scalar>
Run bind_dropout(const Operator& op, const Memory<Scalar>& memory);
template <typename Scalar>
Run bind_elementwise(const Operator& op, const Memory<Scalar>& memory);
template <typename Scalar>
Run bind_loss(const Operator& op, const Memory<Scalar>& memory);
template <typename Scalar>
Run bind_clipping(const Operator& op, const Memory<Scalar>& memory);
template <typename Scalar>
Run bind_update(const Operator& op, const Memory<Scalar>& memory);

/// Binds any compute operator. A fused operator is bound as the operators that it stands for. Throws
/// InternalError for a kind that is not a computation.
template <typename Scalar>
std::vector<Run> bind_operator(const Operator& op, const Memory<Scalar>& memory);

}  // namespace convoy::plain
