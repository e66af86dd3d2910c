#include "nn/initial_values.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "nn/network.hpp"

using namespace convoy;

namespace {

/// conv: fans 3*25 and 8*25; dense: 8*4*4 = 128 and 50.
Graph network(std::int64_t classes = 50) {
    const ModelSpec model{"inline",
                          {3, 8, 8},
                          {{"conv", Conv2dLayer{.filters = 8, .kernel = 5}},
                           {"flat", FlattenLayer{}},
                           {"dense", DenseLayer{.units = classes}}}};
    return training_graph(model, Sgd{}, {3, 8, 8}, classes);
}

const Parameter& parameter(const Graph& graph, const std::string& name) {
    return *std::ranges::find(graph.parameters, name,
                              [&](const Parameter& p) { return graph.tensor(p.value).name; });
}

std::vector<float> initial(const Graph& graph, const Parameter& of, std::uint64_t seed) {
    const auto& shape = graph.tensor(of.value).shape;
    return initial_values(shape, whole_slice(shape), of, seed);
}

double mean(const std::vector<float>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double variance(const std::vector<float>& values) {
    double sum = 0.0;
    for (const auto value : values) sum += (value - mean(values)) * (value - mean(values));
    return sum / static_cast<double>(values.size());
}

void check_glorot(const std::string& name, double fan_in, double fan_out) {
    const auto graph = network();
    const auto values = initial(graph, parameter(graph, name), 1);
    CHECK(values.size() ==
          static_cast<std::size_t>(graph.tensor(parameter(graph, name).value).shape.elements()));
    const auto limit = std::sqrt(6.0 / (fan_in + fan_out));
    CHECK(*std::ranges::max_element(values) <= limit);
    CHECK(*std::ranges::min_element(values) >= -limit);
    CHECK(*std::ranges::max_element(values) > 0.98 * limit);
    CHECK(*std::ranges::min_element(values) < -0.98 * limit);
    // A uniform distribution's variance; of n values it comes out within a few times sqrt(0.8 / n) of itself.
    const auto n = static_cast<double>(values.size());
    CHECK(variance(values) == Approx(limit * limit / 3.0).epsilon(4.0 * std::sqrt(0.8 / n)));
    CHECK(std::abs(mean(values)) < 4.0 * limit / std::sqrt(3.0 * n));
}

}  // namespace

TEST_CASE("weights are Glorot uniform, biases zero") {
    check_glorot("conv.weight", 3 * 25, 8 * 25);
    check_glorot("dense.weight", 128, 50);
    const auto graph = network();
    CHECK(initial(graph, parameter(graph, "dense.bias"), 1) == std::vector<float>(50, 0.0F));
}

TEST_CASE("initial values depend on seed, layer and element alone") {
    const auto graph = network();
    const auto& conv = parameter(graph, "conv.weight");
    const auto values = initial(graph, conv, 1);
    CHECK(initial(graph, conv, 1) == values);
    CHECK(initial(graph, conv, 2) != values);
    CHECK(initial(graph, conv, std::uint64_t{1} << 32U) != initial(graph, conv, 0));

    // Another layer: other numbers, also at the same scale.
    auto moved = conv;
    moved.layer += 1;
    CHECK(initial(graph, moved, 1) != values);

    // A wider network behind it changes nothing, nor does fusion.
    const auto other = network(60);
    CHECK(initial(other, parameter(other, "conv.weight"), 1) == values);
    CHECK(std::ranges::adjacent_find(values) == values.end());
}

TEST_CASE("a slice of a parameter begins with the values of its places in the whole") {
    const auto graph = network();
    for (const auto* name : {"conv.weight", "conv.bias", "dense.weight"}) {
        const auto& of = parameter(graph, name);
        const auto& shape = graph.tensor(of.value).shape;
        const auto whole = initial(graph, of, 3);
        const TensorSlice slice{.axis = shape.rank() - 1, .first = 1, .count = 2};
        CHECK(initial_values(shape, slice, of, 3) == cut_slice(whole, slice, shape));
    }
}
