#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace convoy::test {

/// A network with synchronised batch normalisation, a depthwise convolution and l2, as a patch of a spec.
extern const char* const with_batch_norm;
/// The form of the model `landcover`, in small, as a patch of a spec: a branch for a sequence, one for
/// images, joined by dense layers.
extern const char* const two_inputs;

enum class Networks { all, without_batch_norm };

/// One way to train.
struct TrainingCase {
    std::string name;
    std::string strategy;         ///< what only the cluster is told
    std::string training = "{}";  ///< what the one node is told too
    Networks networks = Networks::all;
};
using TrainingCases = std::vector<TrainingCase>;

/// A spec of twenty steps with dropout on a network (mnist_cnn, changed by a patch). Its data are
/// NoiseImages, if the patch names no others.
nlohmann::json spec_of_20_steps(const std::string& network);

}  // namespace convoy::test
