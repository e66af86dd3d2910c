#pragma once

#include <vector>

#include "kernels/xtensor/tensor.hpp"
#include "program/program.hpp"

namespace convoy::plain {

/// The memory of the tensors of one bound program, by TensorId. Empty for tensors that no operator uses.
template <typename Scalar>
struct Memory {
    std::vector<Tensor<Scalar>> tensors;
    std::vector<Integers> integer_tensors;

    [[nodiscard]] const Tensor<Scalar>& tensor(TensorId id) const { return tensors.at(index(id)); }
    [[nodiscard]] Integers integers(TensorId id) const { return integer_tensors.at(index(id)); }
};

/// The elements of an operand that the operator works on, see Operator::range.
template <typename Scalar>
Tensor<Scalar> worked_on(const Operator& op, const Tensor<Scalar>& operand) {
    if (!op.range) return operand;
    return {convoy::worked_on(op, operand.values), Shape{static_cast<std::int64_t>(op.range->count)}};
}

}  // namespace convoy::plain
