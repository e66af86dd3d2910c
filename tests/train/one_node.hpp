#pragma once

#include <cstdint>
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

/// A spec of twenty steps with dropout on a network (mnist_cnn, changed by a patch), with its data.
nlohmann::json spec_of_20_steps(const std::string& network);
/// The losses of all steps, trained by so many nodes in this process.
std::vector<double> losses_of(nlohmann::json spec, std::int64_t nodes);
/// Relative to the expected loss, over all steps.
double largest_difference(const std::vector<double>& found, const std::vector<double>& expected);

/// Holds each case that is for these networks against the strategy `local` on one node: the loss of each step
/// is the same to 1e-4. node_counts: each case is trained by so many nodes.
void check_against_one_node(const TrainingCases& cases, const std::string& network, Networks networks,
                            const std::vector<std::int64_t>& node_counts);

}  // namespace convoy::test
