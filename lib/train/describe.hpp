#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.hpp"
#include "report/run_record.hpp"
#include "spec/experiment_spec.hpp"
#include "strategy/compile.hpp"
#include "train/memory_check.hpp"

namespace convoy {

/// Describes the network of this spec as text: layers with shapes, parameters and FLOPs. It costs as much as
/// there are layers, however large these are. shape, plan: as describe has them.
std::string describe_layers(const ExperimentSpec& spec, const DataShape& shape, const Plan& plan);

/// Describes a run of this spec as text (shape: of the spec's data; plan: the spec's, compiled for this
/// shape):
///
/// * its layers
/// * the memory that its nodes need (need: run_need of the spec)
/// * unequal shares of a batch, and the predicted step with them and with equal ones
/// * the planned schedule of a pipeline, its idle share and the bytes of each cut
/// * for each class of equal ranks (see node_classes): the programs of a step, the buckets, each exchange
///   with the bytes that the class's first rank sends, the data that it reads, FLOPs and bytes of a step, and
///   the bounds that follow from them
///
/// Ranks share hosts as hosts_of says. Throws DataError if the strategy cannot train the network.
std::string describe(const ExperimentSpec& spec, const DataShape& shape, const Plan& plan,
                     const RunNeed& need);

/// The shares of a batch that `balance` makes, and the prediction of what they bring. Absent with equal
/// shares. Arguments: as describe has them.
std::optional<BatchShares> batch_shares(const ExperimentSpec& spec, const DataShape& shape, const Plan& plan);

/// The planned schedule of a pipeline as lines of text. Empty without micro-batches.
std::string planned_pipeline(const ExperimentSpec& spec, const DataShape& shape);

/// The bytes that the file of the trained weights has at most. Throws DataError if the network does not fit
/// the data.
std::uint64_t most_weights_bytes(const ExperimentSpec& spec, const DataShape& shape);

/// The ranks that save trained parameters, ascending; their parts make up the network. It compiles ranks from
/// the first to the last of these.
std::vector<std::int64_t> ranks_that_save(const Plan& plan);

}  // namespace convoy
