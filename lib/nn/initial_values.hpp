#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.hpp"
#include "tensor/tensor_slice.hpp"

namespace convoy {

/// The initial values of a slice of a parameter, in plain order. whole: the shape of the whole parameter. A
/// pure function of (seed, layer, element of the whole), so any cut of a network over nodes begins with the
/// same values.
///
/// Glorot uniform: U(-l, l) with l = sqrt(6 / (fan_in + fan_out)). Glorot and Bengio, AISTATS 2010, eq. 16.
/// He normal: a truncated normal with standard deviation sqrt(2 / fan_in), as in Keras. Values beyond two
/// standard deviations are drawn again. The normal before truncation is wider by 1 / 0.8796, so the truncated
/// values have the given deviation. He et al., ICCV 2015, eq. 10.
std::vector<float> initial_values(const Shape& whole, const TensorSlice& slice, const Parameter& parameter,
                                  std::uint64_t seed);

}  // namespace convoy
