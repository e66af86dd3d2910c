#pragma once

#include <cstdint>
#include <vector>

namespace convoy {

/// A point of the plane in which digits are drawn: x to the right, y down, a digit fills about [-0.6, 0.6] x
/// [-0.9, 0.9].
struct Point {
    double x, y;
};

/// What the pen draws without being lifted.
using Stroke = std::vector<Point>;

/// The strokes of a digit 0 to 9 as polylines fine enough to be bent.
const std::vector<Stroke>& digit_strokes(std::int32_t digit);

}  // namespace convoy
