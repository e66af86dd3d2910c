#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chart/drawing.hpp"

namespace convoy {

struct DotRow {
    std::string label = {};           ///< stands above the row
    std::vector<double> dots = {};    ///< on the axis, as are the others
    std::vector<double> rings = {};   ///< hollow dots
    std::optional<double> line = {};  ///< a line across the row
    bool operator==(const DotRow&) const = default;
};

/// Rows of dots over a common axis, each below its name.
struct DotRowChart {
    std::string title = {}, description = {};  ///< as in XyChart
    ChartAxis x = {};
    std::vector<DotRow> rows = {};
    bool operator==(const DotRowChart&) const = default;
};

/// Draws the rows. Long names take several lines; none is cut.
Drawing drawn(const DotRowChart& chart, double width = chart_width);

}  // namespace convoy
