#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "spec/experiment_spec.hpp"
#include "train/memory_check.hpp"

namespace convoy {

/// Describes the network of this spec as text: layers with shapes, parameters and FLOPs. It costs as much as
/// there are layers, however large these are. Throws as describe.
std::string describe_layers(const ExperimentSpec& spec, const std::filesystem::path& data_folder);

/// Describes a run of this spec as text:
///
/// * its layers
/// * the memory that its nodes need (need: run_need of the spec)
/// * for each class of equal ranks (see node_classes): the programs of a step, the buckets, each exchange
///   with the bytes that the class's first rank sends, the data that it reads, FLOPs and bytes of a step, and
///   the bounds that follow from them
///
/// Without emulated hosts all nodes are taken to share this machine; only the hierarchical algorithm depends
/// on this. It reads no data, except headers of IDX and NPY files and NPY labels in data_folder. Throws
/// DataError if the network does not fit the dataset, and the errors of dataset_info.
std::string describe(const ExperimentSpec& spec, const std::filesystem::path& data_folder,
                     const RunNeed& need);

/// The bytes that the file of the trained weights has at most. Reads and throws as describe.
std::uint64_t most_weights_bytes(const ExperimentSpec& spec, const std::filesystem::path& data_folder);

}  // namespace convoy
