#pragma once

#include <vector>

#include "kernels/operator_cases.hpp"

namespace convoy::test {

/// Shapes that the vector units of a processor do not divide, strides, paddings and windows of all kinds.
std::vector<OperatorCase> odd_cases();

/// Convolutions that Winograd's algorithm takes: maps that tiles divide and not, several blocks of channels.
std::vector<OperatorCase> winograd_cases(std::int64_t batch);

/// Convolutions whose passes all run in the own loops on AVX2: the channels of the input are no multiple
/// of 8.
std::vector<OperatorCase> own_loops_cases(std::int64_t batch);

/// The convolution of a case's forward pass.
const Operator& forward_convolution(const OperatorCase& one);

/// The operators of mnist_cnn in its own shapes.
std::vector<OperatorCase> mnist_cnn_cases(std::int64_t batch);

/// Every way in which batch normalisation, sums and penalties meet: two branches of one tensor, a projection,
/// a sum of three, normalisation without ReLU, with tanh, of a row, and of channels that no vector register
/// divides.
ModelSpec residual_network();

/// Own loops compute all passes of one convolution, and of others all but the gradient of the input, or the
/// gradient of the kernels only.
ModelSpec own_loops_network();

/// Convolutions with groups: depthwise ones in full vector registers and not, one with two filters for each
/// channel, pointwise ones, with a bias and without.
ModelSpec grouped_network();

/// Convolutions and poolings of sequences of three channels.
ModelSpec sequence_network();

/// Planes joined in blocks of channels and across them, images from outside among them, and rows.
ModelSpec joining_network();

/// That of golden/make_golden_inputs.py: an image 2x8x8 and five magnitudes, four classes.
ModelSpec two_input_network();

}  // namespace convoy::test
