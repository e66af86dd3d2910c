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

/// Chooses the fastest algorithm for each size. If the algorithm of the size before took at most 5% more, it
/// is kept, since such a difference may be noise. A range of sizes ends half-way to the next size, in powers
/// of two. sizes: in bytes, ascending, at least one. times: one time for each size, for at least one
/// algorithm.
AllReduceCalibration calibration_of(std::int64_t nodes, std::span<const std::int64_t> sizes,
                                    const AlgorithmTimes& times);

/// Runs run_all_reduce_bench on the nodes of a spec, and returns the records of all nodes. The function
/// decides how nodes are started.
using MeasureAllReduce = std::function<NodeRecords(const ExperimentSpec&, const AllReduceBench&)>;

/// The spec of an all-reduce bench on the nodes and hosts of a spec.
ExperimentSpec all_reduce_bench_spec(const ExperimentSpec& spec, const AllReduceOptions& options);

/// Measures each algorithm that may be the fastest for the nodes of a spec. bench: its sizes ascend. Throws
/// InternalError if an algorithm gives a wrong sum, and the errors of `measure`.
AllReduceCalibration calibrate_all_reduce(const ExperimentSpec& spec, AllReduceBench bench,
                                          const MeasureAllReduce& measure);

/// Throws InternalError if a sum was wrong.
void check_sums(const NodeRecords& records, AllReduceAlgorithm algorithm);

}  // namespace convoy
