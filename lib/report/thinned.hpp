#pragma once

#include <span>
#include <vector>

#include "report/plot.hpp"

namespace convoy {

/// What the points in one stretch of the axis have in common.
struct PlotBin {
    double x = 0.0;  ///< mean of theirs
    double least = 0.0, mean = 0.0, greatest = 0.0;
};

/// The points, in any order, in so many stretches of equal length between the smallest and the largest x;
/// stretches without a point are left out.
std::vector<PlotBin> binned(std::span<const PlotPoint> points, std::size_t stretches);

/// A line of at most so many points: as it is where it has no more, else the mean of each stretch.
std::vector<PlotPoint> thinned(std::span<const PlotPoint> points, std::size_t most);

}  // namespace convoy
