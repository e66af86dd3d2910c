#pragma once

#include <istream>
#include <string>
#include <vector>

#include "report/table.hpp"

namespace convoy {

/// Two sweeps side by side.
struct SweepComparison {
    /// One row for each setting that both have and each figure: the runs that are done, those of them that
    /// are not quiet, medians, their ratio A/B with its interval, and whether the runs show a difference
    /// (measure/two_samples.hpp). step_undisturbed_us is of the runs with alike cores, each put to the
    /// quickest of them (alike_cores.hpp).
    Table table;
    /// Settings that only one of them has, and runs that do not count in step_undisturbed_us, one line each.
    std::vector<std::string> notes;
};

/// Compares the runs that are done of two sweeps, by their runs.csv (SWEEP.md). Runs with the same settings
/// belong together, whatever their version of convoy. a, b: the texts; source_a, source_b: their names in
/// errors. Throws DataError if a text is damaged, if the fields of the grids differ, or if no setting is in
/// both.
SweepComparison compare_sweeps(std::istream& a, const std::string& source_a, std::istream& b,
                               const std::string& source_b);

}  // namespace convoy
