#pragma once

#include "spec/experiment_spec.hpp"
#include "spec/place.hpp"

namespace convoy {

/// The rules between fields, which none of them can check by itself. Throws DataError at the place of one of
/// those that do not go together.
void check_together(const ExperimentSpec& spec, const Place& place);

}  // namespace convoy
