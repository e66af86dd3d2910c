#pragma once

#include <string>

#include "data/dataset.hpp"
#include "job/node_job.hpp"
#include "measure/records.hpp"
#include "strategy/compile.hpp"

namespace convoy {

/// What a node trains on and evaluates, and how long it took to get it.
struct NodeData {
    DataSplits splits;
    double read_s = 0.0;
    InputTimes input = {};  ///< of the stages ahead of training
};

/// Reads the run's dataset and prepares it as its input pipeline says. Throws as load_dataset.
NodeData load_node_data(const NodeAssignment& assignment);

/// The shape of a spec's data, read from at most the heads of its files. Throws what dataset_info and
/// split_sizes throw.
DataShape data_shape(const ExperimentSpec& spec, const std::filesystem::path& data_folder);

/// The shape of data that is read.
DataShape data_shape(const DataSplits& splits);

/// What all nodes must have alike of the splits: their labels, and a sample of their examples.
std::string fingerprint(const DataSplits& splits);

}  // namespace convoy
