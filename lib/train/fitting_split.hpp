#pragma once

#include <functional>
#include <optional>
#include <string>

#include "spec/experiment_spec.hpp"
#include "strategy/compile.hpp"
#include "train/memory_check.hpp"

namespace convoy {

/// Whether a run has the memory that it needs.
using Fits = std::function<bool(const RunNeed& need, const ExperimentSpec& spec)>;

/// A sentence that proposes to split the layers of a network over the nodes of a spec, for a run that does
/// not fit into memory: the strategy `model_split` with the fewest stages that fit, and the need of the
/// largest node. Absent: the spec has this strategy already, or no number of stages fits its nodes and its
/// other fields.
std::optional<std::string> fitting_split(const ExperimentSpec& spec, const DataShape& shape,
                                         const Fits& fits);

}  // namespace convoy
