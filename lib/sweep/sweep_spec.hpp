#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
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
/// settings; repetition.hpp has the order of training.
struct Sweep {
    std::string name;
    std::string id;  ///< the first 12 digits of the SHA-256 that SWEEP.md defines
    std::vector<SweepAxis> axes;
    std::int64_t repeats = 1;       ///< of each setting, at least
    std::int64_t most_repeats = 1;  ///< the same number if neither of the following is asked for
    /// Half the width of the interval of a setting's median step time, as a share of the median.
    std::optional<double> precision = {};
    /// Runs of each setting whose time of undisturbed steps counts (repetition.hpp).
    std::optional<std::int64_t> undisturbed_repeats = {};
    /// Whether the number of repeats follows from the runs before.
    [[nodiscard]] bool repeats_by_results() const { return precision || undisturbed_repeats; }
    std::vector<SweepRun> runs;  ///< of most_repeats repeats
    std::string text;            ///< the sweep as JSON, with its base and overrides written out

    /// The number of points of the grid.
    [[nodiscard]] std::size_t settings() const {
        return runs.size() / static_cast<std::size_t>(most_repeats);
    }
    [[nodiscard]] std::size_t setting_of(std::size_t run) const { return run % settings(); }
    [[nodiscard]] std::size_t position(std::size_t setting, std::int64_t repeat) const {
        return static_cast<std::size_t>(repeat) * settings() + setting;
    }
};

/// Reads a sweep, applies overrides to its base and checks the spec of every run. Throws MissingFileError, or
/// a DataError with one line that names the field and the settings of the wrong run.
Sweep load_sweep(const std::filesystem::path& file, std::span<const std::string> overrides = {});

}  // namespace convoy
