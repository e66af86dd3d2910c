#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.hpp"

namespace convoy {

/// The values a parameter starts from, in plain order: a pure function of (seed, layer, element).
/// Glorot uniform: U(-l, l) with l = sqrt(6 / (fan_in + fan_out)). Glorot and Bengio, AISTATS 2010, eq. 16.
/// He normal: normal of standard deviation sqrt(2 / fan_in), drawn again beyond two of them, as in Keras: the
/// normal that is cut off is wider by 1 / 0.8796, so that what is left has that deviation. He et al., ICCV
/// 2015, eq. 10.
std::vector<float> initial_values(const Shape& shape, const Parameter& parameter, std::uint64_t seed);

}  // namespace convoy
