#pragma once

#include "spec/experiment_spec.hpp"
#include "spec/place.hpp"

namespace convoy {

/// Checks the rules between fields. Throws a DataError that names the place of one of the fields that do not
/// fit together.
void check_together(const ExperimentSpec& spec, const Place& place);

}  // namespace convoy
