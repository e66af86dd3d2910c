#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "train/training_cases.hpp"

namespace convoy::test {

/// The losses of all steps, trained by so many nodes in this process.
std::vector<double> losses_of(nlohmann::json spec, std::int64_t nodes);
/// Relative to the expected loss, over all steps.
double largest_difference(const std::vector<double>& found, const std::vector<double>& expected);

/// The strategy `local` on one node, to hold others against: the loss of each step is the same to 1e-4. What
/// it has trained once, it keeps.
class OneNode {
  public:
    /// networks: if all, the cases that are for some networks only are left out.
    OneNode(const std::string& network, Networks networks);
    /// Each case is trained by so many nodes.
    void check(const TrainingCases& cases, const std::vector<std::int64_t>& node_counts);

  private:
    nlohmann::json trained_;
    Networks networks_;
    std::map<nlohmann::json, std::vector<double>> losses_;  ///< by spec
};

/// The same for cases that are trained once.
inline void check_against_one_node(const TrainingCases& cases, const std::string& network, Networks networks,
                                   const std::vector<std::int64_t>& node_counts) {
    OneNode(network, networks).check(cases, node_counts);
}

}  // namespace convoy::test
