#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/all_reduce_bench.hpp"
#include "cluster/launcher.hpp"

namespace convoy {

/// The action of `convoy bench` in the processes that a bench starts. Each process is one node.
inline constexpr const char* all_reduce_node_action = "allreduce-node";

/// How the connections of a bench are protected: as within a machine, as between machines, or by TLS.
enum class BenchProtection : std::uint8_t { none, seal, tls };

/// Runs an all-reduce bench on processes of this machine, which are the nodes of the spec. Throws as launch.
RunOutcome launch_all_reduce(const ExperimentSpec& spec, const AllReduceBench& bench,
                             BenchProtection protection = BenchProtection::none);

/// The records of launch_all_reduce (a MeasureAllReduce). Throws InterruptedError if it was interrupted.
NodeRecords measure_all_reduce(const ExperimentSpec& spec, const AllReduceBench& bench);

}  // namespace convoy
