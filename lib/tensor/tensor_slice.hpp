#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tensor/shape.hpp"

namespace convoy {

/// A part of a tensor: `count` places of one axis from `first` on, and the whole of all other axes. A tensor
/// without axes has one part, the whole.
struct TensorSlice {
    std::size_t axis = 0;
    std::int64_t first = 0;
    std::int64_t count = 0;
    bool operator==(const TensorSlice&) const = default;
};

/// The slice that is the whole tensor: all places of axis 0.
TensorSlice whole_slice(const Shape& whole);

/// Whether a tensor of this shape has such a slice. count may be 0 for the whole of a tensor without elements
/// only.
bool fits(const TensorSlice& slice, const Shape& whole);

/// Whether the slice is the whole tensor, on any axis.
bool is_whole(const TensorSlice& slice, const Shape& whole);

/// The shape of a slice. Throws InternalError if the tensor has no such slice; so do all functions below.
Shape slice_shape(const TensorSlice& slice, const Shape& whole);

/// Elements that lie side by side in the slice and in the whole, both in row-major order.
struct SliceRun {
    std::size_t in_slice = 0;  ///< index of the run's first element
    std::size_t in_whole = 0;
    std::size_t elements = 0;
};

/// The runs of a slice, in order.
std::vector<SliceRun> slice_runs(const TensorSlice& slice, const Shape& whole);

/// The values of a slice. values: of the whole tensor. Both are in row-major order.
std::vector<float> cut_slice(std::span<const float> values, const TensorSlice& slice, const Shape& whole);

}  // namespace convoy
