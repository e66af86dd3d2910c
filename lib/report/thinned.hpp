#pragma once

#include <span>
#include <vector>

#include "report/plot.hpp"

namespace convoy {

/// The statistics of the points in one interval of the axis.
struct PlotBin {
    double x = 0.0;  ///< mean of the points
    double least = 0.0, mean = 0.0, greatest = 0.0;
};

/// Groups points into `stretches` intervals of equal length between the smallest and the largest x. Intervals
/// without a point are left out. points: in any order.
std::vector<PlotBin> binned(std::span<const PlotPoint> points, std::size_t stretches);

/// Reduces a line to at most `most` points. A line with more points becomes the mean of each interval.
std::vector<PlotPoint> thinned(std::span<const PlotPoint> points, std::size_t most);

}  // namespace convoy
