#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.hpp"

namespace convoy {

/// The values a parameter starts from, in plain order: a pure function of (seed, layer, element).
/// Glorot uniform: U(-l, l) with l = sqrt(6 / (fan_in + fan_out)). Glorot and Bengio, AISTATS 2010, eq. 16.
std::vector<float> initial_values(const Graph& graph, const Parameter& parameter, std::uint64_t seed);

}  // namespace convoy
