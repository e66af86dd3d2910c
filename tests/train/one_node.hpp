#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "train/training_cases.hpp"

namespace convoy::test {

/// The losses of all steps, trained by so many nodes in this process.
std::vector<double> losses_of(nlohmann::json spec, std::int64_t nodes);
/// Relative to the expected loss, over all steps.
double largest_difference(const std::vector<double>& found, const std::vector<double>& expected);

/// Holds each case that is for these networks against the strategy `local` on one node: the loss of each step
/// is the same to 1e-4. node_counts: each case is trained by so many nodes.
void check_against_one_node(const TrainingCases& cases, const std::string& network, Networks networks,
                            const std::vector<std::int64_t>& node_counts);

}  // namespace convoy::test
