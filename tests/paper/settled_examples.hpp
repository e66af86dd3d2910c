#pragma once

#include <string>

#include "paper/settled_sweep.hpp"

namespace convoy::test {

/// A run of a sweep over batch_size.
SettledRun settled_run(const std::string& setting, std::int64_t repeat, double step_us, double accuracy,
                       const std::string& weights);

/// Two settings of so many repeats, whose step times and accuracies vary a little. weights: the hash of all
/// weights.
SettledSweep settled_sweep_of(std::int64_t repeats, const std::string& weights);

/// The files of an archive of this sweep.
ArchiveFiles files_of(const SettledSweep& sweep);

}  // namespace convoy::test
