#pragma once

#include <cstdint>

#include "spec/experiment_spec.hpp"
#include "spec/place.hpp"

namespace convoy {

/// Checks that the faults of a spec can happen. Throws DataError. Included only by the sources of lib/spec.
void check_faults(const ExperimentSpec& spec, const Place& place);

}  // namespace convoy
