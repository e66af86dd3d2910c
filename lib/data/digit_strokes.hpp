#pragma once

#include <cstdint>
#include <vector>

namespace convoy {

/// A point of the plane in which digits are drawn: x to the right, y down, a digit fills about [-0.6, 0.6] x
/// [-0.9, 0.9].
struct Point {
    double x, y;
};

/// A line that the pen draws without being lifted.
using Stroke = std::vector<Point>;

/// The strokes of a digit from 0 to 9, as polylines with enough points for a smooth distortion.
const std::vector<Stroke>& digit_strokes(std::int32_t digit);

}  // namespace convoy
