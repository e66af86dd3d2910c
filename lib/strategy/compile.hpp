#pragma once

#include <cstdint>
#include <optional>

#include "exchange/host_map.hpp"
#include "plan/data_shape.hpp"
#include "plan/plan.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// How many ranks a run of this spec has.
std::int64_t ranks_of(const ExperimentSpec& spec);

/// Which ranks share a host, as far as the spec says it: those of one emulated host; without emulated hosts
/// all ranks.
HostMap hosts_of(const ExperimentSpec& spec);

/// The plan of a run: the strategy's, of the spec's network over data of this shape. A pure function. hosts:
/// of as many ranks as ranks_of says. shares: see data_plan. Throws DataError where spec, network and data do
/// not fit together.
Plan compile(const ExperimentSpec& spec, const DataShape& data, const HostMap& hosts,
             const std::optional<KeptShares>& shares = std::nullopt);

/// What one node runs that evaluates the trained network alone.
struct EvaluationPrograms {
    std::vector<Program> programs;          ///< by split of the evaluated batches; the last operator of each
                                            ///< writes the probabilities N,classes
    std::vector<HeldParameter> parameters;  ///< in the order of the network
};
EvaluationPrograms evaluation_programs(const ExperimentSpec& spec, const DataShape& data,
                                       const EpochPlan& batches);

/// The graphs of a spec's network: a whole training step, and an evaluation.
Graph training_graph_of(const ExperimentSpec& spec, const ExampleShape& input, std::int64_t classes);
Graph evaluation_graph_of(const ExperimentSpec& spec, const ExampleShape& input, std::int64_t classes);

}  // namespace convoy
