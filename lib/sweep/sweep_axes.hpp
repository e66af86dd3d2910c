#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sweep/sweep_rows.hpp"

namespace convoy {

/// A field of the grid that has several values.
struct Factor {
    std::size_t field = 0;            ///< its place in SweepRows::fields
    std::string name;                 ///< "strategy.overlap"
    std::vector<std::string> values;  ///< ascending if all are numbers, else in the order of the rows
    std::vector<std::string> labels;  ///< short names of the values (setting_labels.hpp)
    std::vector<double> numbers;      ///< the values as numbers; empty if one is none

    [[nodiscard]] bool is_numeric() const { return !numbers.empty(); }
    /// The place in `values` of a row's value.
    [[nodiscard]] std::size_t level_of(const SweepRow& row) const;
};

/// The factors of a sweep by what shows them in its figures.
struct SweepAxes {
    std::optional<Factor> x;       ///< numeric
    std::optional<Factor> colour;  ///< each value is a line
    std::vector<Factor> panels;    ///< each combination of their values is a chart of its own
};

/// Finds the factors of a sweep, in the order of its fields. Fields with one value are none.
std::vector<Factor> factors_of(const SweepRows& sweep);

/// Chooses what shows a factor. x is `nodes`, else `batch_size`, else the first numeric factor. The colour is
/// the first of the others that has names, else the first of the others. The rest are panels.
SweepAxes choose_axes(std::vector<Factor> factors);

/// The place of a row's value of each factor.
std::vector<std::size_t> levels_of(const std::vector<Factor>& factors, const SweepRow& row);
/// The words for such values: "batch 48, wire type float16". Empty without factors.
std::string levels_label(const std::vector<Factor>& factors, const std::vector<std::size_t>& levels);

}  // namespace convoy
