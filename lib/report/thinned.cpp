#include "report/thinned.hpp"

#include <algorithm>

namespace convoy {

std::vector<PlotBin> binned(std::span<const PlotPoint> points, std::size_t stretches) {
    if (points.empty()) return {};
    struct Sum {
        double x = 0.0, y = 0.0, least = 0.0, greatest = 0.0, count = 0.0;
    };
    const auto [first, last] = std::ranges::minmax_element(points, {}, &PlotPoint::x);
    const double begin = first->x;
    const double length = (last->x - begin) / static_cast<double>(stretches);
    std::vector<Sum> sums(stretches);
    for (const auto& point : points) {
        const auto stretch = length > 0.0 ? static_cast<std::size_t>((point.x - begin) / length) : 0;
        auto& sum = sums[std::min(stretch, stretches - 1)];
        sum.least = sum.count == 0.0 ? point.y : std::min(sum.least, point.y);
        sum.greatest = sum.count == 0.0 ? point.y : std::max(sum.greatest, point.y);
        sum.x += point.x;
        sum.y += point.y;
        sum.count += 1.0;
    }
    std::vector<PlotBin> bins;
    for (const auto& sum : sums) {
        if (sum.count > 0.0) bins.push_back({sum.x / sum.count, sum.least, sum.y / sum.count, sum.greatest});
    }
    return bins;
}

std::vector<PlotPoint> thinned(std::span<const PlotPoint> points, std::size_t most) {
    if (points.size() <= most) return {points.begin(), points.end()};
    std::vector<PlotPoint> line;
    for (const auto& bin : binned(points, most)) line.push_back({bin.x, bin.mean, {}});
    return line;
}

}  // namespace convoy
