#pragma once

#include <cstdint>
#include <vector>

#include "nn/network.hpp"
#include "strategy/programs.hpp"

namespace convoy::test {

/// What one example of small_network() looks like.
inline const Shape small_image{1, 4, 4};

/// A layer with parameters behind dropout.
inline ModelSpec small_network() {
    return {"small",
            small_image,
            {{"flatten", FlattenLayer{}}, {"dropout", DropoutLayer{0.5}}, {"dense", DenseLayer{3}}}};
}

/// The training programs of small_network() for ranks with these shares, in the layouts of four examples.
inline std::vector<Program> two_rank_programs(const std::vector<std::int64_t>& shares) {
    const auto graph = training_graph(small_network(), Adagrad{.initial_accumulator = 0.25}, small_image, 3);
    auto programs = compile_for(shares, {}, graph);
    for (auto& program : programs) program.layout_batch = 4;
    return programs;
}

}  // namespace convoy::test
