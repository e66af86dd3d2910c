#pragma once

#include <string>

#include "train/training_cases.hpp"

namespace convoy::test {

/// A network of the theses, as a patch of a spec.
struct ThesisNetwork {
    std::string patch;
    Networks networks = Networks::without_batch_norm;  ///< all: it has batch normalisation
};
/// One by name: mnist_cnn, two_conv (with few kernels), landcover, resnet_v2 (of the least depth, with
/// synchronised statistics). Throws std::out_of_range.
ThesisNetwork thesis_network(const std::string& name);

/// One form of each strategy that is synchronous, for so many nodes.
TrainingCases one_of_each_strategy(int nodes);

}  // namespace convoy::test
