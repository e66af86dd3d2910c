#include "chart/label_places.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace convoy {

namespace {

/// Labels that stand side by side at the distance.
struct Group {
    double sum = 0.0;  ///< of the wanted places of the group's first label
    std::size_t count = 0;
    [[nodiscard]] double first() const { return sum / static_cast<double>(count); }
};

}  // namespace

std::vector<double> label_places(std::span<const double> wanted, double distance, double low, double high) {
    std::vector<std::size_t> order(wanted.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return wanted[i]; });
    // Without the distances before it, each label must not be below its predecessor: an isotonic regression,
    // whose neighbours in wrong order become one group (pool adjacent violators).
    std::vector<Group> groups;
    for (std::size_t place = 0; place < order.size(); ++place) {
        groups.push_back({wanted[order[place]] - static_cast<double>(place) * distance, 1});
        while (groups.size() > 1 && groups.back().first() < groups[groups.size() - 2].first()) {
            const auto last = groups.back();
            groups.pop_back();
            groups.back().sum += last.sum;
            groups.back().count += last.count;
        }
    }
    const double most = high - distance * static_cast<double>(std::max<std::size_t>(wanted.size(), 1) - 1);
    std::vector<double> places(wanted.size());
    std::size_t place = 0;
    for (const auto& group : groups) {
        const double first = std::max(low, std::min(group.first(), most));
        for (std::size_t i = 0; i < group.count; ++i, ++place)
            places[order[place]] = first + static_cast<double>(place) * distance;
    }
    return places;
}

}  // namespace convoy
