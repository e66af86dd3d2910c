#pragma once

#include <filesystem>
#include <string>

#include "spec/experiment_spec.hpp"

namespace convoy {

/// What a run of this spec will do, as text: layers with shapes, parameters and FLOPs; for each class of
/// ranks that do the same but for their rank, the programs of a step, the buckets, each exchange with the
/// bytes that the class's first rank sends, and FLOPs and bytes per step and what they bound. Without
/// emulated hosts all nodes are taken to share this machine, which matters to the hierarchical algorithm
/// alone. Of the data it reads at most what NPY files, looked up in data_folder, say of themselves. Throws
/// DataError where the network does not fit the dataset, and what dataset_info throws.
std::string describe(const ExperimentSpec& spec, const std::filesystem::path& data_folder);

}  // namespace convoy
