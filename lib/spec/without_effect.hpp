#pragma once

#include <string>
#include <vector>

#include "spec/experiment_spec.hpp"

namespace convoy {

/// Finds fields of the strategy that are not at their defaults, but have no effect because of other fields of
/// the spec. Returns a line for each, with its name and the reason. A sweep over such a field measures the
/// same run again and again.
std::vector<std::string> fields_without_effect(const ExperimentSpec& spec);

}  // namespace convoy
