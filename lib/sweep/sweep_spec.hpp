#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "spec/experiment_spec.hpp"

namespace convoy {

/// One list of a sweep's grid.
struct SweepAxis {
    std::string field;                ///< of the spec, as --set names it: "batch_size", "strategy.overlap"
    std::vector<std::string> values;  ///< JSON texts
};

/// One run of a sweep.
struct SweepRun {
    std::vector<std::string> settings;  ///< what tables show of each axis' value
    std::int64_t repeat = 0;            ///< counted from 0, and added to the seed
    ExperimentSpec spec;
    std::string run_id;  ///< the first 12 digits of the run's identity
};

/// A sweep as its JSON says it (SWEEP.md), and the runs that it stands for: the product of the grid's lists,
/// the last one the fastest, all of it once per repeat, so that slow changes of the machine spread over all
/// settings.
struct Sweep {
    std::string name;
    std::string id;  ///< the first 12 digits of the SHA-256 that SWEEP.md defines
    std::vector<SweepAxis> axes;
    std::int64_t repeats = 1;
    std::vector<SweepRun> runs;
    std::string text;  ///< the sweep as JSON, its base and overrides written out
};

/// Reads a sweep, applies overrides to its base and checks the spec of every run. Throws MissingFileError, or
/// DataError with one line that names the field, and the settings of the run that is wrong.
Sweep load_sweep(const std::filesystem::path& file, std::span<const std::string> overrides = {});

}  // namespace convoy
