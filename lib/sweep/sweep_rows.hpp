#pragma once

#include <functional>
#include <istream>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

/// A row of runs.csv.
struct SweepRow {
    std::vector<std::string> settings = {};  ///< the text of each field's value
    std::string run_id = {};                 ///< empty if the file has no such column
    bool done = false;
    bool not_quiet = false;  ///< the verdict is noisy or invalid
    /// The columns that were asked for, where the run has them.
    std::map<std::string, double, std::less<>> figures = {};

    /// One of these columns, of a run that is done.
    [[nodiscard]] std::optional<double> result(std::string_view figure) const;
};

/// The runs of a sweep, as runs.csv has them (SWEEP.md).
struct SweepRows {
    std::vector<std::string> fields;  ///< of the grid, in the order of the columns
    std::vector<SweepRow> rows;       ///< of all runs, also of those that are not done
};

/// Reads runs.csv, also of an earlier version, which may lack the verdicts. source: its name in errors.
/// figures: names of columns. newer_figures: names of columns that an earlier version may lack. Throws
/// DataError if the text is damaged or lacks a column of figures.
SweepRows read_sweep_rows(std::istream& text, const std::string& source,
                          std::span<const std::string_view> figures,
                          std::span<const std::string_view> newer_figures = {});

/// Whether a run with this verdict, as summary.json and runs.csv have it, is noisy or invalid. Empty: it has
/// none, and is not.
bool is_verdict_of_noise(std::string_view verdict);

/// The number that a setting is, as a text of runs.csv. Absent if it is none, or not finite.
std::optional<double> setting_number(const std::string& text);

}  // namespace convoy
