#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "bench/all_reduce_bench.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// Median times of an algorithm in microseconds, one for each size.
using AlgorithmTimes = std::map<AllReduceAlgorithm, std::vector<double>>;

/// For each size the algorithm that took least, but the one of the size before where it took at most 5% more:
/// so close together, noise decides. A range ends half-way to the next size, in powers of two.
/// sizes: in bytes, ascending, at least one; times: as many for each algorithm, of at least one.
AllReduceCalibration calibration_of(std::int64_t nodes, std::span<const std::int64_t> sizes,
                                    const AlgorithmTimes& times);

/// Runs run_all_reduce_bench on the nodes of a spec, and returns what all of them reported. Whoever calls
/// decides how nodes are started.
using MeasureAllReduce = std::function<NodeRecords(const ExperimentSpec&, const AllReduceBench&)>;

/// The spec of nodes that sum: those of a spec, on its hosts, with the strategy that an all-reduce bench has.
ExperimentSpec all_reduce_bench_spec(const ExperimentSpec& spec, const AllReduceOptions& options);

/// Measures every algorithm that may be the best one for the nodes of a spec. bench: its sizes ascend.
/// Throws InternalError where an algorithm sums wrongly, and as measure does.
AllReduceCalibration calibrate_all_reduce(const ExperimentSpec& spec, AllReduceBench bench,
                                          const MeasureAllReduce& measure);

/// Throws InternalError where a sum was wrong.
void check_sums(const NodeRecords& records, AllReduceAlgorithm algorithm);

}  // namespace convoy
