#pragma once

#include <cstdint>
#include <span>

#include "tensor/shape.hpp"

namespace convoy::plain {

/// A tensor in memory that someone else owns: row-major values, shape.elements() of them.
template <typename Scalar>
struct Tensor {
    std::span<Scalar> values;
    Shape shape;
};

/// The same for labels and for a max pooling's argmax.
using Integers = std::span<std::int32_t>;

}  // namespace convoy::plain
