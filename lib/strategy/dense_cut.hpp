#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "program/program.hpp"
#include "strategy/own_tensors.hpp"

namespace convoy {

/// Cuts dense layers over all ranks of a program (Krizhevsky, "One weird trick for parallelizing
/// convolutional neural networks", 2014, scheme a). Each rank holds some units of a cut layer. Forward, the
/// ranks gather the inputs of the whole batch, each computes its units for the whole batch, and they gather
/// the results, of which each rank goes on with its own examples. Backward, they gather the gradients of the
/// results; each rank computes the gradient of its weights, which is whole, and its part of the gradient of
/// the inputs, which the rank of the examples sums.
///
/// weights: names of the cut weights. examples: of the batch, by rank; their sum is above zero. In the
/// program, the weights, their gradients and their slots get the shape of the rank's part. Returns the
/// tensors that operators over the whole batch write.
OwnTensors cut_dense_layers(Program& program, std::span<const std::string> weights,
                            std::span<const std::int64_t> examples, std::int64_t segment_bytes);

}  // namespace convoy
