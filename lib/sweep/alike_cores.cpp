#include "sweep/alike_cores.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace convoy {
namespace {

/// The runs in a range, of the sample that has the fewest there.
std::ptrdiff_t fewest_runs(const AlikeCores& range, std::span<const std::vector<double>> looks_us) {
    auto fewest = std::numeric_limits<std::ptrdiff_t>::max();
    for (const auto& sample : looks_us) {
        if (sample.empty()) continue;
        fewest = std::min(
            fewest, std::ranges::count_if(sample, [&](double look_us) { return range.contains(look_us); }));
    }
    return fewest;
}

}  // namespace

std::optional<AlikeCores> alike_cores(std::span<const std::vector<double>> looks_us) {
    std::vector<double> all_us;
    for (const auto& sample : looks_us) all_us.insert(all_us.end(), sample.begin(), sample.end());
    std::ranges::sort(all_us);
    std::optional<AlikeCores> best;
    std::ptrdiff_t most_runs = 0;
    for (const auto look_us : all_us) {
        const AlikeCores range{.quickest_us = look_us};
        const auto runs = fewest_runs(range, looks_us);
        if (runs <= most_runs) continue;
        most_runs = runs;
        best = range;
    }
    return best;
}

}  // namespace convoy
