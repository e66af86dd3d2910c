#pragma once

#include <filesystem>
#include <string>

#include "spec/experiment_spec.hpp"

namespace convoy {

/// What a run of this spec will do, as text: layers with shapes, parameters and FLOPs; the program of rank 0
/// (all ranks do the same but for their share); buckets; bytes and FLOPs per step and what they bound. Of
/// the data it reads at most what NPY files, looked up in data_folder, say of themselves. Throws DataError
/// where the network does not fit the dataset, and what dataset_info throws.
std::string describe(const ExperimentSpec& spec, const std::filesystem::path& data_folder);

}  // namespace convoy
