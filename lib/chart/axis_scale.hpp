#pragma once

#include <limits>

#include "chart/chart.hpp"

namespace convoy {

/// The smallest and the greatest of the values along an axis.
struct Extent {
    double least = std::numeric_limits<double>::infinity();
    double greatest = -std::numeric_limits<double>::infinity();
    /// Values that are not finite do not count. A logarithmic axis has no place for what is not positive.
    void add(const ChartAxis& axis, double value);
};

/// The scale of an axis whose marks have this extent.
Scale scale_for(const ChartAxis& axis, Extent extent, double most_ticks);

}  // namespace convoy
