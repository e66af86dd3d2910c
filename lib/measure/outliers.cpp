#include "measure/outliers.hpp"

#include <cmath>

#include "measure/durations.hpp"

namespace convoy {

std::vector<std::size_t> outliers(std::span<const double> values) {
    std::vector<std::size_t> found;
    if (values.size() < least_values_with_outliers) return found;
    const auto middle = median({values.begin(), values.end()});
    std::vector<double> deviations;
    deviations.reserve(values.size());
    for (const auto value : values) deviations.push_back(std::abs(value - middle));
    const auto usual = median(deviations);
    if (usual == 0.0) return found;
    for (std::size_t i = 0; i < deviations.size(); ++i)
        if (deviations[i] > most_deviations * usual) found.push_back(i);
    return found;
}

}  // namespace convoy
