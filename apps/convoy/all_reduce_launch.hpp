#pragma once

#include <string>
#include <vector>

#include "bench/all_reduce_bench.hpp"
#include "cluster/launcher.hpp"

namespace convoy {

/// The action of `convoy bench` in the processes that a bench starts: one node each.
inline constexpr const char* all_reduce_node_action = "allreduce-node";

/// Sums buffers over processes of this machine, which are the nodes of the spec. Throws as launch does.
RunOutcome launch_all_reduce(const ExperimentSpec& spec, const AllReduceBench& bench);

/// The records of launch_all_reduce: a MeasureAllReduce. Throws InterruptedError where it was interrupted.
NodeRecords measure_all_reduce(const ExperimentSpec& spec, const AllReduceBench& bench);

}  // namespace convoy
