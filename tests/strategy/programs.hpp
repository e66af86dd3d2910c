#pragma once

#include <string>
#include <vector>

#include "strategy/strategy.hpp"

namespace convoy::test {

using Lines = std::vector<std::string>;

/// The training graph of mnist_cnn with plain gradient descent.
Graph mnist_cnn(bool fusion = true);

/// What a strategy compiles for ranks with these shares of a batch.
std::vector<Program> compile_for(const std::vector<std::int64_t>& shares, const StrategySpec& strategy,
                                 const Graph& graph);
std::vector<Program> compile_for(const std::vector<std::int64_t>& shares, const StrategySpec& strategy = {});

/// "Kind name" of every operator behind the forward pass.
Lines short_text(const Program& program);

/// The names of a bucket's tensors.
Lines names(const Program& program, const Bucket& bucket);

/// The updates that follow mnist_cnn's first and second bucket.
extern const Lines updates_of_first, updates_of_second;

Lines operator+(Lines left, const Lines& right);

}  // namespace convoy::test
