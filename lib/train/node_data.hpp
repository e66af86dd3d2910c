#pragma once

#include <string>

#include "data/dataset.hpp"
#include "job/node_job.hpp"
#include "measure/records.hpp"
#include "strategy/compile.hpp"

namespace convoy {

/// The data on which a node trains and evaluates, and the time that it took to read and prepare them.
struct NodeData {
    DataSplits splits;
    double read_s = 0.0;
    InputTimes input = {};  ///< times of the stages before training
};

/// Reads the run's dataset and prepares it as the spec's input pipeline says. Throws as load_dataset.
NodeData load_node_data(const NodeAssignment& assignment);

/// The shape of a spec's data. It reads at most the headers of files. Throws the errors of dataset_info and
/// split_sizes.
DataShape data_shape(const ExperimentSpec& spec, const std::filesystem::path& data_folder);

/// The shape of data that is already read.
DataShape data_shape(const DataSplits& splits);

/// Hashes of the labels and of a sample of the values, over all splits. Nodes that have a part must have the
/// same hash of this part.
Fingerprints data_fingerprints(const DataSplits& splits);

}  // namespace convoy
