#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "data/dataset.hpp"
#include "data/sharding.hpp"
#include "job/fingerprints.hpp"
#include "job/node_job.hpp"
#include "measure/records.hpp"
#include "plan/node_plan.hpp"
#include "strategy/compile.hpp"

namespace convoy {

/// The data on which a node trains and evaluates, and the time that it took to read and prepare them.
struct NodeData {
    std::optional<DataSplits> splits = {};  ///< absent if the node reads neither values nor labels
    double read_s = 0.0;
    InputTimes input = {};  ///< times of the stages before training

    /// The examples of a split. Absent if the node does not read them, or if there is no such split.
    [[nodiscard]] std::optional<Dataset> train() const;
    [[nodiscard]] std::optional<Dataset> validation() const;
    [[nodiscard]] std::optional<Dataset> test() const;
};

/// Reads the parts of the run's dataset that a node needs, and prepares them as the spec's input pipeline
/// says. planned: the shape for which the run was planned. Throws as load_dataset, and a DataError that says
/// what differs if the data has another shape.
NodeData load_node_data(const NodeAssignment& assignment, const DataRole& role, const DataShape& planned);

/// The training batches of a plan, with the labels that the node has. plan: of this data.
EpochPlan training_batches(const EpochPlan& plan, const NodeData& data);

/// By class, the examples that a rank takes in the first epoch of its training batches. Empty if it has no
/// labels.
std::vector<std::int64_t> count_labels(const EpochPlan& batches, std::int64_t rank, const NodeData& data);

/// The shape of a spec's data. It reads at most the headers of files. Throws the errors of dataset_info and
/// split_sizes.
DataShape data_shape(const ExperimentSpec& spec, const std::filesystem::path& data_folder);

/// The shape of data that is already read.
DataShape data_shape(const DataSplits& splits);

/// A hash of the shape for which a run was planned, hashes of the labels and of a sample of the values that
/// the node has, over all splits, and a hash of the parts that were made by label.
Fingerprints data_fingerprints(const DataShape& planned, const NodeData& data, const EpochPlan& batches);

}  // namespace convoy
