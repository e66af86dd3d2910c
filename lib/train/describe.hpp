#pragma once

#include <string>

#include "spec/experiment_spec.hpp"

namespace convoy {

/// What a run of this spec will do, as text: layers with shapes, parameters and FLOPs; the program of rank 0
/// (all ranks do the same but for their share); buckets; bytes and FLOPs per step and what they bound. Reads
/// no data. Throws DataError where the network does not fit the dataset.
std::string describe(const ExperimentSpec& spec);

}  // namespace convoy
