#pragma once

#include <cstdint>
#include <span>

#include "spec/experiment_spec.hpp"

namespace convoy {

/// The spec of a run that goes on with some of its nodes: these ranks become 0, 1, 2 and so on. Batches,
/// steps and all other fields stay. ranks: of `spec`, at least one of its nodes, ascending; servers stand
/// behind the nodes and stay as they are.
ExperimentSpec spec_of_members(const ExperimentSpec& spec, std::span<const std::int64_t> ranks);

}  // namespace convoy
