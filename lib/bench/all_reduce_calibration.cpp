#include "bench/all_reduce_calibration.hpp"

#include <algorithm>
#include <cmath>

namespace convoy {
namespace {

constexpr double close_to_best = 1.05;

std::int64_t between(std::int64_t size, std::int64_t next) {
    return std::llround(std::sqrt(static_cast<double>(size) * static_cast<double>(next)));
}

}  // namespace

AllReduceCalibration calibration_of(std::int64_t nodes, std::span<const std::int64_t> sizes,
                                    const AlgorithmTimes& times) {
    AllReduceCalibration calibration{.nodes = nodes, .ranges = {}};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const auto time = [i](const auto& algorithm) { return algorithm.second.at(i); };
        const auto best = std::ranges::min_element(times, {}, time);
        const auto before = times.find(calibration.beyond);
        if (before != times.end()) {
            if (time(*before) <= close_to_best * time(*best)) continue;
            calibration.ranges.push_back({between(sizes[i - 1], sizes[i]), calibration.beyond});
        }
        calibration.beyond = best->first;
    }
    return calibration;
}

}  // namespace convoy
