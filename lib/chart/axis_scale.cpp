#include "chart/axis_scale.hpp"

#include <algorithm>
#include <cmath>

namespace convoy {

void Extent::add(const ChartAxis& axis, double value) {
    if (!std::isfinite(value) || (axis.kind == ScaleKind::logarithmic && value <= 0.0)) return;
    least = std::min(least, value);
    greatest = std::max(greatest, value);
}

Scale scale_for(const ChartAxis& axis, Extent extent, double most_ticks) {
    for (const double value : axis.covered) extent.add(axis, value);
    if (!axis.ticks_at.empty() && extent.least <= extent.greatest) {
        auto scale = scale_at(axis.kind, axis.ticks_at);
        scale.low = std::min(scale.low, extent.least);
        scale.high = std::max(scale.high, extent.greatest);
        return scale;
    }
    if (extent.least > extent.greatest) extent = {1.0, 1.0};
    if (axis.from_zero && axis.kind == ScaleKind::linear)
        extent = {std::min(extent.least, 0.0), std::max(extent.greatest, 0.0)};
    return scale_of(axis.kind, extent.least, extent.greatest,
                    static_cast<std::size_t>(std::max(2.0, most_ticks)), axis.whole);
}

}  // namespace convoy
