#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "spec/experiment_spec.hpp"
#include "tensor/tensor_slice.hpp"

namespace convoy {

/// The units of a cut dense layer that a rank holds: a slice of axis 0 of its weights (out, in). The first
/// ranks hold one more where `ranks` does not divide the units.
TensorSlice units_of(std::int64_t units, std::int64_t rank, std::int64_t ranks);

/// The weights (LAYER.weight) of the dense layers that the strategy `hybrid` cuts over the nodes: those of
/// `strategy.cut_layers`, or else those for which a node sends fewer bytes with the cut than without, each
/// step. For a layer of `in` inputs and `out` units, a batch of B examples and n nodes these are
/// 2 (n-1) B/n (in + out) values with the cut (inputs, results and the gradients of both), and
/// 2 (n-1)/n in out without (a ring all-reduce of the weights' gradient). Throws DataError if a named layer
/// is no dense layer of the network or has fewer units than there are nodes, or with clipping by the norm of
/// each gradient.
std::vector<std::string> cut_weights(const ExperimentSpec& spec, const Graph& training);

}  // namespace convoy
