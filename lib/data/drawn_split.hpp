#pragma once

#include <cstdint>
#include <vector>

namespace convoy {

/// How many examples of a dataset are for what.
struct SplitRequest {
    std::int64_t examples = 0;  ///< in the dataset
    std::int64_t train = 0;     ///< together at most as many as are neither validated nor tested on
    std::int64_t validation = 0;
    std::int64_t test = 0;
    std::uint64_t seed = 0;
};

/// Examples of a dataset by their numbers.
struct DrawnSplit {
    std::vector<std::uint32_t> train;  ///< those that are trained on, and behind them those of validation
    std::vector<std::uint32_t> test;
    bool operator==(const DrawnSplit&) const = default;
};

/// Draws what is tested and what is validated on, each example at most once and all with the same chance: a
/// pure function of the request. Each part keeps the dataset's order; of what is left, the first are trained
/// on. What is tested on depends on neither the validation nor how many are trained on.
DrawnSplit draw_split(const SplitRequest& request);

}  // namespace convoy
