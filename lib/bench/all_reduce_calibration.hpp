#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "spec/all_reduce_spec.hpp"

namespace convoy {

/// Median times of an algorithm in microseconds, one for each size.
using AlgorithmTimes = std::map<AllReduceAlgorithm, std::vector<double>>;

/// For each size the algorithm that took least, but the one of the size before where it took at most 5% more:
/// so close together, noise decides. A range ends half-way to the next size, in powers of two.
/// sizes: in bytes, ascending, at least one; times: as many for each algorithm, of at least one.
AllReduceCalibration calibration_of(std::int64_t nodes, std::span<const std::int64_t> sizes,
                                    const AlgorithmTimes& times);

}  // namespace convoy
