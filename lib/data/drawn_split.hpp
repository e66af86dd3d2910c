#pragma once

#include <cstdint>
#include <vector>

namespace convoy {

/// The number of examples in each split of a dataset.
struct SplitRequest {
    std::int64_t examples = 0;  ///< examples of the dataset
    std::int64_t train = 0;     ///< at most the examples that are left by validation and test
    std::int64_t validation = 0;
    std::int64_t test = 0;
    std::uint64_t seed = 0;
};

/// Examples of a dataset by their numbers.
struct DrawnSplit {
    std::vector<std::uint32_t> train;  ///< the training examples, and behind them the validation examples
    std::vector<std::uint32_t> test;
    bool operator==(const DrawnSplit&) const = default;
};

/// Draws the test examples and the validation examples at random: each example at most once, all with the
/// same chance. The first of the other examples are the training examples. Each split keeps the dataset's
/// order. It is a pure function of the request. The test examples depend on neither the validation split nor
/// the number of training examples.
DrawnSplit draw_split(const SplitRequest& request);

}  // namespace convoy
