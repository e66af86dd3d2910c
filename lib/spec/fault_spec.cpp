#include "spec/fault_spec.hpp"

#include <algorithm>
#include <cmath>

#include "base/random.hpp"

namespace convoy {

namespace {

/// The elements of the random numbers of a fault.
constexpr std::uint32_t gap = 0, which_node = 1, which_kind = 2;

}  // namespace

std::vector<TimedFault> draw_faults(const RandomFaultsSpec& random, std::int64_t ranks) {
    const RandomStream stream(random.seed, RandomPurpose::faults);
    std::vector<TimedFault> faults;
    double time_s = 0.0;
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(random.count); ++i) {
        time_s -= random.mean_time_s * std::log(1.0 - stream.uniform(i, gap));
        const auto pick = [&](std::size_t count, std::uint32_t element) {
            return stream.below(static_cast<std::uint32_t>(count), i, element);
        };
        faults.push_back({.time_s = time_s,
                          .node = random.nodes.empty() ? pick(static_cast<std::size_t>(ranks), which_node)
                                                       : random.nodes[pick(random.nodes.size(), which_node)],
                          .kind = random.kinds[pick(random.kinds.size(), which_kind)]});
    }
    return faults;
}

std::string_view fault_name(FaultKind kind) {
    return std::ranges::find(fault_kind_names, kind, &std::pair<std::string_view, FaultKind>::second)->first;
}

}  // namespace convoy
