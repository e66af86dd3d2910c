#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "spec/experiment_spec.hpp"

namespace convoy {

/// The part of a spec that belongs to the identity of its run: to_json without optional fields that are not
/// used. So a new optional field does not change the identity of specs that do not use it.
nlohmann::json identifying_json(const ExperimentSpec& spec);

/// The run's identity: SHA-256 over identifying_json (machine defaults left absent), convoy's version and the
/// content of initial_weights; Folders and tables show its first 12 digits. Throws MissingFileError if the
/// file of initial_weights does not exist.
std::string run_id(const ExperimentSpec& spec);

/// The identity of the training, without its distribution: run_id without nodes, cluster, calibration,
/// strategy, kernels, checkpoints, measurements, deadline, failures, faults and name. Runs of one training_id
/// may continue each other's checkpoints. Of workers that take steps apart, their number belongs to the
/// training. With the strategy `independent` and with a learning rate that is scaled by the nodes, nodes and
/// strategy belong to the training. Throws as run_id.
std::string training_id(const ExperimentSpec& spec);

/// The identity of the distribution of a training over ranks: SHA-256 over the number of nodes and the
/// strategy, and over calibration, cluster, nodes and kernels where the shares of the nodes follow from them.
std::string distribution_id(const ExperimentSpec& spec);

}  // namespace convoy
