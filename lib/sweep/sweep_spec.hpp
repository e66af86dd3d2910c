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
    std::string field;                ///< field of the spec, as in --set: "batch_size", "strategy.overlap"
    std::vector<std::string> values;  ///< JSON texts
};

/// One run of a sweep.
struct SweepRun {
    std::vector<std::string> settings;  ///< text of each axis' value, for tables
    std::int64_t repeat = 0;            ///< counted from 0; it is added to the seed
    ExperimentSpec spec;
    std::string run_id;  ///< the first 12 digits of the run's identity
};

/// A sweep from its JSON (SWEEP.md), and its runs. The runs are the product of the grid's lists; the last
/// list changes fastest. The whole product is repeated, so slow changes of the machine spread over all
/// settings.
struct Sweep {
    std::string name;
    std::string id;  ///< the first 12 digits of the SHA-256 that SWEEP.md defines
    std::vector<SweepAxis> axes;
    std::int64_t repeats = 1;
    std::vector<SweepRun> runs;
    std::string text;  ///< the sweep as JSON, with its base and overrides written out
};

/// Reads a sweep, applies overrides to its base and checks the spec of every run. Throws MissingFileError, or
/// a DataError with one line that names the field and the settings of the wrong run.
Sweep load_sweep(const std::filesystem::path& file, std::span<const std::string> overrides = {});

}  // namespace convoy
