#include <omp.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kernels/backends.hpp"
#include "kernels/case_lists.hpp"
#include "kernels/comparison.hpp"
#include "kernels/onednn/winograd.hpp"
#include "kernels/onednn/winograd_rounds.hpp"
#include "kernels/steps.hpp"

/// Winograd's loops against sums written out in double precision, on every processor; and the rule that says
/// where they are used.
using namespace convoy;
using namespace convoy::test;
using namespace convoy::onednn;
using winograd::Geometry;
using winograd::Tile;

namespace {

/// Of the transforms of tiles of 4 x 4: direct convolutions have 5e-7.
constexpr double tolerance = 1e-5;

struct Layer {
    Geometry geometry;
    std::int64_t examples = 1;

    [[nodiscard]] std::int64_t source_at(std::int64_t n, std::int64_t c, std::int64_t y,
                                         std::int64_t x) const {
        const auto [rows, columns] = geometry.source;
        return ((n * geometry.source_channels + c) / 8 * rows * columns + y * columns + x) * 8 + c % 8;
    }
    [[nodiscard]] std::int64_t result_at(std::int64_t n, std::int64_t c, std::int64_t y,
                                         std::int64_t x) const {
        const auto [rows, columns] = geometry.result;
        return ((n * geometry.result_channels + c) / 8 * rows * columns + y * columns + x) * 8 + c % 8;
    }
    [[nodiscard]] std::int64_t weight_at(std::int64_t o, std::int64_t i, std::int64_t tap,
                                         bool inputs_last) const {
        const auto kernel = o / 8 * (geometry.source_channels / 8) + i / 8;
        return (kernel * 9 + tap) * 64 + (inputs_last ? o % 8 * 8 + i % 8 : i % 8 * 8 + o % 8);
    }
    [[nodiscard]] std::int64_t source_size() const {
        return examples * geometry.source_channels * geometry.source[0] * geometry.source[1];
    }
    [[nodiscard]] std::int64_t result_size() const {
        return examples * geometry.result_channels * geometry.result[0] * geometry.result[1];
    }
    [[nodiscard]] std::int64_t weight_size() const {
        return geometry.result_channels * geometry.source_channels * 9;
    }
};

/// Calls use(source, weight tap's o, i, tap, result) for all products of a convolution.
template <typename Use>
void for_products(const Layer& layer, const Use& use) {
    const auto& g = layer.geometry;
    for (std::int64_t n = 0; n < layer.examples; ++n)
        for (std::int64_t y = 0; y < g.result[0]; ++y)
            for (std::int64_t x = 0; x < g.result[1]; ++x)
                for (std::int64_t tap = 0; tap < 9; ++tap) {
                    const auto row = y + tap / 3 - g.padding[0];
                    const auto column = x + tap % 3 - g.padding[1];
                    if (row < 0 || row >= g.source[0] || column < 0 || column >= g.source[1]) continue;
                    for (std::int64_t o = 0; o < g.result_channels; ++o)
                        for (std::int64_t i = 0; i < g.source_channels; ++i)
                            use(static_cast<std::size_t>(layer.source_at(n, i, row, column)), o, i, tap,
                                static_cast<std::size_t>(layer.result_at(n, o, y, x)));
                }
}

struct Values {
    std::vector<float> source, weight, turned_weight, result_gradient;

    explicit Values(const Layer& layer)
        : source(random_values(layer.source_size(), 1)),
          weight(random_values(layer.weight_size(), 2)),
          turned_weight(weight.size()),
          result_gradient(random_values(layer.result_size(), 3)) {
        for (std::int64_t o = 0; o < layer.geometry.result_channels; ++o)
            for (std::int64_t i = 0; i < layer.geometry.source_channels; ++i)
                for (std::int64_t tap = 0; tap < 9; ++tap)
                    turned_weight[static_cast<std::size_t>(layer.weight_at(o, i, tap, true))] =
                        weight[static_cast<std::size_t>(layer.weight_at(o, i, tap, false))];
    }
};

template <typename Number>
struct Outcome {
    std::vector<Number> result, source_gradient, weight_gradient;
};

Outcome<double> written_out(const Layer& layer, const Values& values) {
    Outcome<double> sums{std::vector<double>(values.result_gradient.size()),
                         std::vector<double>(values.source.size()),
                         std::vector<double>(values.weight.size())};
    for_products(
        layer, [&](std::size_t source, std::int64_t o, std::int64_t i, std::int64_t tap, std::size_t result) {
            const auto weight = static_cast<std::size_t>(layer.weight_at(o, i, tap, false));
            const double x = values.source[source];
            const double w = values.weight[weight];
            const double dy = values.result_gradient[result];
            sums.result[result] += x * w;
            sums.source_gradient[source] += dy * w;
            sums.weight_gradient[weight] += dy * x;
        });
    return sums;
}

Outcome<float> by_winograd(const Layer& layer, const Values& values) {
    Outcome<float> found{std::vector<float>(values.result_gradient.size()),
                         std::vector<float>(values.source.size()), std::vector<float>(values.weight.size())};
    const auto back = winograd::backward(layer.geometry);
    // What a scratchpad holds before must not matter.
    std::vector<float> scratch(
        static_cast<std::size_t>(std::max(winograd::scratch_floats(layer.geometry, layer.examples),
                                          winograd::scratch_floats(back, layer.examples))),
        1e30F);
    winograd::Convolution{.geometry = layer.geometry,
                          .examples = layer.examples,
                          .turned = false,
                          .source = values.source,
                          .weight = values.weight,
                          .behind = {},
                          .result = found.result,
                          .scratch = scratch}
        .run();
    winograd::Convolution{.geometry = back,
                          .examples = layer.examples,
                          .turned = true,
                          .source = values.result_gradient,
                          .weight = values.turned_weight,
                          .behind = {},
                          .result = found.source_gradient,
                          .scratch = scratch}
        .run();
    winograd::FilterGradient{.geometry = layer.geometry,
                             .examples = layer.examples,
                             .source = values.source,
                             .result_gradient = values.result_gradient,
                             .gradient = found.weight_gradient,
                             .scratch = scratch}
        .run();
    return found;
}

Layer layer_of(Tile tile, std::int64_t from, std::int64_t to, winograd::Extents source,
               winograd::Extents result, winograd::Extents padding, std::int64_t examples) {
    return {{tile, from, to, source, result, padding}, examples};
}

std::vector<Layer> layers() {
    constexpr auto four = Tile::four_results;
    return {layer_of(four, 16, 32, {8, 8}, {8, 8}, {1, 1}, 3),
            layer_of(four, 32, 16, {7, 5}, {7, 5}, {1, 1}, 2),
            layer_of(four, 16, 80, {4, 4}, {4, 4}, {1, 1}, 7),      // more channels than a round
            layer_of(four, 16, 16, {13, 18}, {13, 18}, {1, 1}, 9),  // more tiles than a round
            layer_of(four, 48, 16, {3, 3}, {3, 3}, {1, 1}, 1),
            layer_of(four, 16, 16, {9, 10}, {7, 8}, {0, 0}, 2),
            layer_of(four, 16, 16, {6, 6}, {8, 7}, {2, 1}, 2),
            layer_of(Tile::padded_pair, 32, 80, {2, 2}, {2, 2}, {1, 1}, 5),
            layer_of(Tile::padded_pair, 16, 16, {2, 2}, {2, 2}, {1, 1}, 1)};
}

std::vector<float> first_of(const std::vector<float>& values, std::int64_t examples) {
    return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size()) / examples};
}

std::optional<Tile> tile_of(std::int64_t from, std::int64_t to, std::int64_t rows, std::int64_t columns,
                            std::int64_t padding = 1, WindowAttributes window = {.size = {3, 3}}) {
    window.padding_before = window.padding_after = {padding, padding};
    const auto result = [&](std::int64_t extent) { return extent + 2 * padding - 2; };
    return winograd_tile(window, {1, from, rows, columns}, {1, to, result(rows), result(columns)});
}

}  // namespace

TEST_CASE("convolutions by Winograd's algorithm agree with sums of products") {
    LargestDifference largest("Winograd's loops against sums in double precision");
    const auto all = layers();
    for (std::size_t i = 0; i < all.size(); ++i) {
        INFO("layer " << i);
        const Values values(all[i]);
        const auto expected = written_out(all[i], values);
        const auto found = by_winograd(all[i], values);
        const auto check = [&](const std::string& what, const std::vector<float>& numbers,
                               const std::vector<double>& sums) {
            INFO(what);
            const auto difference = relative_difference(numbers, sums);
            CHECK(difference <= tolerance);
            largest.add(what + " of layer " + std::to_string(i), difference);
        };
        check("result", found.result, expected.result);
        check("source's gradient", found.source_gradient, expected.source_gradient);
        check("weight's gradient", found.weight_gradient, expected.weight_gradient);
    }
}

TEST_CASE("the cases that hold the operators against the reference are Winograd's") {
    for (const auto& one : winograd_cases(2)) {
        const auto& forward = forward_convolution(one);
        INFO(one.name);
        CHECK(winograd_tile(forward.as<WindowAttributes>(), one.program.tensor(forward.inputs[0]).shape,
                            one.program.tensor(forward.outputs[0]).shape));
    }
}

TEST_CASE("Winograd's results have the same bits beside other examples and on several threads") {
    for (auto layer : layers()) {
        const auto found = by_winograd(layer, Values(layer));
        omp_set_num_threads(several_threads);
        const auto shared = by_winograd(layer, Values(layer));
        omp_set_num_threads(1);
        CHECK(shared.result == found.result);
        CHECK(shared.source_gradient == found.source_gradient);
        CHECK(shared.weight_gradient == found.weight_gradient);
        const auto examples = layer.examples;
        layer.examples = 1;
        const auto alone = by_winograd(layer, Values(layer));
        CHECK(alone.result == first_of(found.result, examples));
        CHECK(alone.source_gradient == first_of(found.source_gradient, examples));
    }
}

TEST_CASE("Winograd's algorithm is for convolutions where it saves half the products") {
    CHECK(tile_of(64, 128, 16, 16) == Tile::four_results);
    CHECK(tile_of(32, 32, 4, 4) == Tile::four_results);
    CHECK(tile_of(32, 32, 7, 7) == Tile::four_results);
    CHECK(tile_of(32, 64, 26, 26, 0) == Tile::four_results);
    CHECK(tile_of(512, 512, 2, 2) == Tile::padded_pair);
    // Other windows.
    CHECK(tile_of(64, 64, 8, 8, 1, {.size = {5, 5}}) == std::nullopt);
    CHECK(tile_of(64, 64, 8, 8, 1, {.size = {3, 3}, .stride = {2, 2}}) == std::nullopt);
    CHECK(tile_of(64, 64, 8, 8, 1, {.size = {3, 3}, .groups = 2}) == std::nullopt);
    CHECK(tile_of(64, 64, 8, 8, 3) == std::nullopt);
    // Few channels, or channels that no whole vectors hold.
    CHECK(tile_of(3, 64, 32, 32) == std::nullopt);
    CHECK(tile_of(16, 64, 16, 16) == std::nullopt);
    CHECK(tile_of(64, 40, 16, 16) == std::nullopt);
    // Tiles that reach too far over the edge of a map.
    CHECK(tile_of(64, 64, 5, 5) == std::nullopt);
    CHECK(tile_of(64, 64, 4, 4, 0) == std::nullopt);
    CHECK(tile_of(64, 64, 6, 6, 0) == std::nullopt);  // one tile of results, four of the input's gradient
    CHECK(tile_of(64, 64, 1, 9) == std::nullopt);
}
