#pragma once

#include <cstdint>
#include <span>

#include "tensor/shape.hpp"

namespace convoy::plain {

/// A tensor in memory of another owner: shape.elements() values in row-major order.
template <typename Scalar>
struct Tensor {
    std::span<Scalar> values;
    Shape shape;
};

/// The same for labels and for the argmax of a max pooling.
using Integers = std::span<std::int32_t>;

}  // namespace convoy::plain
