#pragma once

#include <string>
#include <vector>

#include "spec/experiment_spec.hpp"

namespace convoy {

/// Fields of the strategy that somebody set to something else than they are by default, and that change
/// nothing beside what else the spec says: a line for each, which names it and says why. A sweep over such a
/// field measures the same run again and again.
std::vector<std::string> fields_without_effect(const ExperimentSpec& spec);

}  // namespace convoy
