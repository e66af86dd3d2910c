#pragma once

#include "spec/dataset_spec.hpp"
#include "spec/place.hpp"

namespace convoy {

/// Checks the rules between the fields of a dataset of arrays. place: of the dataset. Throws DataError.
/// Included only by the sources of lib/spec.
void check_arrays(const NpySpec& arrays, const Place& place);

}  // namespace convoy
