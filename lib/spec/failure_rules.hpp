#pragma once

#include "spec/experiment_spec.hpp"
#include "spec/place.hpp"

namespace convoy {

/// Checks that a run can do as its failure policy says. place: of the whole spec. Throws DataError. Included
/// only by the sources of lib/spec.
void check_failures(const ExperimentSpec& spec, const Place& place);

}  // namespace convoy
