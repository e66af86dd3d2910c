#include "kernels/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

namespace convoy::test {

double relative_difference(std::span<const float> found, std::span<const double> expected, double least) {
    if (found.size() != expected.size()) return std::numeric_limits<double>::infinity();
    double difference = 0.0;
    double largest = least;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto distance = std::abs(static_cast<double>(found[i]) - expected[i]);
        if (!std::isfinite(distance)) return std::numeric_limits<double>::infinity();
        difference = std::max(difference, distance);
        largest = std::max(largest, std::abs(expected[i]));
    }
    return difference / (largest > 0.0 ? largest : 1.0);
}

double relative_difference(std::span<const float> found, std::span<const float> expected, double least) {
    const std::vector<double> wide(expected.begin(), expected.end());
    return relative_difference(found, std::span<const double>(wide), least);
}

void LargestDifference::add(const std::string& name, double difference) {
    if (!name_.empty() && difference <= largest_) return;
    largest_ = difference;
    name_ = name;
}

LargestDifference::~LargestDifference() {
    fmt::print("{}: largest relative difference {:.1e} ({})\n", what_, largest_, name_);
    std::fflush(stdout);
}

}  // namespace convoy::test
