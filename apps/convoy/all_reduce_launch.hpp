#pragma once

#include <string>
#include <vector>

#include "bench/all_reduce_bench.hpp"
#include "cluster/launcher.hpp"

namespace convoy {

/// The action of `convoy bench` in the processes that a bench starts. Each process is one node.
inline constexpr const char* all_reduce_node_action = "allreduce-node";

/// Runs an all-reduce bench on processes of this machine, which are the nodes of the spec. Throws as launch.
RunOutcome launch_all_reduce(const ExperimentSpec& spec, const AllReduceBench& bench);

/// The records of launch_all_reduce (a MeasureAllReduce). Throws InterruptedError if it was interrupted.
NodeRecords measure_all_reduce(const ExperimentSpec& spec, const AllReduceBench& bench);

}  // namespace convoy
