#include <omp.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "kernels/backends.hpp"
#include "kernels/case_lists.hpp"
#include "kernels/comparison.hpp"
#include "kernels/onednn/direct_convolution.hpp"
#include "kernels/onednn/direct_loops.hpp"
#include "kernels/steps.hpp"

/// The own loops of convolutions against sums written out in double precision, on every processor.
using namespace convoy;
using namespace convoy::test;
using onednn::ChannelOrder;
using onednn::OwnPasses;
using onednn::direct::FilterGradient;
using onednn::direct::Forward;
using onednn::direct::Geometry;
using onednn::direct::InputGradient;
using onednn::direct::Maps;

namespace {

/// Thousands of products are added up one after the other.
constexpr double of_sums = 2e-6;

struct Layer {
    WindowAttributes window;
    std::int64_t examples = 1;
    std::int64_t source_channels = 1, result_channels = 1;
    std::int64_t rows = 1, columns = 1;               ///< of the source
    std::int64_t source_block = 1, result_block = 1;  ///< channels side by side in memory

    [[nodiscard]] std::int64_t extent(std::size_t axis, std::int64_t of_source) const {
        const auto padded = of_source + window.padding_before[axis] + window.padding_after[axis];
        return (padded - window.size[axis]) / window.stride[axis] + 1;
    }
    [[nodiscard]] Geometry geometry() const {
        const auto down = extent(0, rows);
        const auto across = extent(1, columns);
        return {window,
                {ChannelOrder{examples, source_channels, rows * columns, source_block}, rows, columns},
                {ChannelOrder{examples, result_channels, down * across, result_block}, down, across}};
    }
    [[nodiscard]] std::int64_t kernels() const {
        return result_channels * source_channels * window.size[0] * window.size[1];
    }
};

std::int64_t stored(const Maps& maps) {
    return maps.order.examples * maps.order.stored_per_example();
}

/// Sets the channels that only fill the last block to zero, as formats with padding have them.
void clear_padding(const Maps& maps, std::vector<float>& values) {
    for (std::int64_t n = 0; n < maps.order.examples; ++n)
        for (auto channel = maps.order.channels; channel < maps.order.blocks() * maps.order.block; ++channel)
            for (std::int64_t i = 0; i < maps.order.area; ++i)
                values[static_cast<std::size_t>(maps.plane(n, channel) + i * maps.order.block)] = 0.0F;
}

struct Values {
    std::vector<float> source, weight, bias, result_gradient;

    explicit Values(const Layer& layer)
        : source(random_values(stored(layer.geometry().source), 1)),
          weight(random_values(layer.kernels(), 2)),
          bias(random_values(layer.result_channels, 4)),
          result_gradient(random_values(stored(layer.geometry().result), 3)) {
        clear_padding(layer.geometry().source, source);
        clear_padding(layer.geometry().result, result_gradient);
    }
};

/// Calls use(source, weight, result) with the places of all products of a convolution.
template <typename Use>
void for_products(const Geometry& g, const Use& use) {
    const auto place = [](const Maps& maps, std::int64_t n, std::int64_t channel, std::int64_t row,
                          std::int64_t column) {
        return static_cast<std::size_t>(maps.plane(n, channel) +
                                        (row * maps.columns + column) * maps.order.block);
    };
    for (std::int64_t n = 0; n < g.result.order.examples; ++n)
        for (std::int64_t y = 0; y < g.result.rows; ++y)
            for (std::int64_t x = 0; x < g.result.columns; ++x)
                for (std::int64_t tap = 0; tap < g.taps(); ++tap) {
                    const auto row =
                        y * g.window.stride[0] + tap / g.window.size[1] - g.window.padding_before[0];
                    const auto column =
                        x * g.window.stride[1] + tap % g.window.size[1] - g.window.padding_before[1];
                    if (row < 0 || row >= g.source.rows || column < 0 || column >= g.source.columns) continue;
                    for (std::int64_t o = 0; o < g.result.order.channels; ++o)
                        for (std::int64_t i = 0; i < g.source.order.channels; ++i)
                            use(place(g.source, n, i, row, column),
                                static_cast<std::size_t>((o * g.source.order.channels + i) * g.taps() + tap),
                                place(g.result, n, o, y, x));
                }
}

/// A result with its bias and without, and gradients.
template <typename Number>
struct Outcome {
    std::vector<Number> result, biased, source, weight;
    bool operator==(const Outcome&) const = default;
};

/// Adds the bias of its channel to each result, and applies ReLU.
void finish(const Maps& maps, const std::vector<float>& bias, std::vector<double>& result) {
    for (std::int64_t n = 0; n < maps.order.examples; ++n)
        for (std::int64_t channel = 0; channel < maps.order.channels; ++channel)
            for (std::int64_t i = 0; i < maps.order.area; ++i) {
                auto& value = result[static_cast<std::size_t>(maps.plane(n, channel) + i * maps.order.block)];
                value = std::max(0.0, value + static_cast<double>(bias[static_cast<std::size_t>(channel)]));
            }
}

Outcome<double> written_out(const Layer& layer, const Values& values) {
    Outcome<double> sums{std::vector<double>(values.result_gradient.size()),
                         {},
                         std::vector<double>(values.source.size()),
                         std::vector<double>(values.weight.size())};
    for_products(layer.geometry(), [&](std::size_t source, std::size_t weight, std::size_t result) {
        const double dy = values.result_gradient[result];
        const double x = values.source[source];
        const double w = values.weight[weight];
        sums.result[result] += x * w;
        sums.source[source] += dy * w;
        sums.weight[weight] += dy * x;
    });
    sums.biased = sums.result;
    finish(layer.geometry().result, values.bias, sums.biased);
    return sums;
}

constexpr auto nan = std::numeric_limits<float>::quiet_NaN();

/// The pass's result. Values that memory holds before must not matter. use(operands, result): sets the other
/// operands.
template <typename Pass, typename Use>
std::vector<float> run(const Pass& pass, std::size_t size, const Use& use) {
    std::vector<float> scratch(static_cast<std::size_t>(pass.scratch_floats()), nan);
    std::vector<float> result(size, nan);
    typename Pass::Operands operands{};
    operands.scratch = scratch;
    use(operands, result);
    pass.run(operands);
    return result;
}

std::vector<float> forward(Geometry g, const Values& values, int threads, bool bias, bool relu) {
    g.window.relu = relu;
    return run(Forward(g, threads), values.result_gradient.size(), [&](auto& operands, auto& result) {
        operands.source = values.source;
        operands.weight = values.weight;
        if (bias) operands.bias = values.bias;
        operands.result = result;
    });
}

Outcome<float> by_loops(const Layer& layer, const Values& values, int threads) {
    const auto g = layer.geometry();
    omp_set_num_threads(std::min(threads, several_threads));
    Outcome<float> found{
        forward(g, values, threads, false, false), forward(g, values, threads, true, true),
        run(InputGradient(g, threads), values.source.size(),
            [&](auto& operands, auto& result) {
                operands.weight = values.weight;
                operands.result_gradient = values.result_gradient;
                operands.gradient = result;
            }),
        run(FilterGradient(g, threads), values.weight.size(), [&](auto& operands, auto& result) {
            operands.source = values.source;
            operands.result_gradient = values.result_gradient;
            operands.gradient = result;
        })};
    omp_set_num_threads(1);
    return found;
}

std::vector<Layer> layers() {
    const WindowAttributes five{.size = {5, 5}};
    const WindowAttributes same{.size = {3, 3}, .padding_before = {1, 1}, .padding_after = {1, 1}};
    const WindowAttributes odd{
        .size = {3, 4}, .stride = {2, 3}, .padding_before = {1, 2}, .padding_after = {2, 0}};
    return {{five, 3, 7, 5, 9, 8},
            {five, 2, 20, 33, 7, 7, 8, 8},  // formats with padding
            {same, 2, 16, 24, 6, 5, 8, 8},
            {same, 1, 3, 17, 4, 4, 1, 8},
            {odd, 3, 18, 9, 11, 13},
            {odd, 2, 5, 16, 8, 9, 8, 1},
            {{.size = {2, 7}, .padding_before = {0, 5}, .padding_after = {0, 3}},
             2,
             2,
             2,
             2,
             3},                                                  // wider than the source
            {{.size = {2, 2}, .stride = {3, 3}}, 2, 4, 6, 9, 9},  // values that no window meets
            {{.size = {1, 8}}, 4, 16, 16, 1, 40},
            {same, 2, 20, 40, 5, 6, 16, 16},                            // blocks of sixteen
            {{.size = {1, 1100}}, 1, 3, 16, 1, 1200},                   // more taps than those of one sum
            {{.size = {1, 3}}, 2, 3, 16, 2, 1700},                      // more columns than results at once
            {{.size = {3, 3}}, 2, 9, 16, 200, 60},                      // few channels of a source at once
            {{.size = {11, 11}, .stride = {4, 4}}, 25, 3, 16, 39, 39},  // one channel at once
            {five, 5, 18, 20, 9, 9},                                    // groups of 2, 2 and 1 example
            {five, 4, 18, 300, 14, 14},  // several runs of tiles, of which one ends in the last example
            {five, 9, 3, 16, 24, 24},    // several bands of examples
            {five, 2, 2, 3, 70, 60},     // rows of one example at a time
            {five, 3, 130, 6, 28, 28},   // several parts of the source's channels
            {same, 2, 4, 600, 5, 5}};    // several parts of the kernels
}

}  // namespace

TEST_CASE("own convolutions agree with sums of products") {
    LargestDifference largest("own convolutions against sums in double precision");
    const auto all = layers();
    for (std::size_t i = 0; i < all.size(); ++i) {
        INFO("layer " << i);
        const Values values(all[i]);
        const auto expected = written_out(all[i], values);
        const auto found = by_loops(all[i], values, 1);
        const auto check = [&](const std::string& what, const std::vector<float>& numbers,
                               const std::vector<double>& sums) {
            INFO(what);
            const auto difference = relative_difference(numbers, sums);
            CHECK(difference <= of_sums);
            largest.add(what + " of layer " + std::to_string(i), difference);
        };
        check("result", found.result, expected.result);
        check("result behind its bias", found.biased, expected.biased);
        check("source's gradient", found.source, expected.source);
        check("weight's gradient", found.weight, expected.weight);
    }
}

TEST_CASE("own convolutions have the same bits on several threads") {
    for (const auto& layer : layers()) {
        const Values values(layer);
        const auto found = by_loops(layer, values, 1);
        for (const int threads : {2, 3, 6, 40}) CHECK(by_loops(layer, values, threads) == found);
    }
}

TEST_CASE("own results and gradients of a source have the same bits beside other examples") {
    const auto last = [](const std::vector<float>& values, std::size_t size) {
        return std::vector(values.end() - static_cast<std::ptrdiff_t>(size), values.end());
    };
    for (auto layer : layers()) {
        const Values values(layer);
        const auto found = by_loops(layer, values, 1);
        layer.examples = 1;
        Values alone(layer);
        alone.source = last(values.source, alone.source.size());
        alone.result_gradient = last(values.result_gradient, alone.result_gradient.size());
        const auto expected = by_loops(layer, alone, 1);
        CHECK(last(found.source, alone.source.size()) == expected.source);
        CHECK(last(found.biased, alone.result_gradient.size()) == expected.biased);
    }
}

TEST_CASE("own convolutions add a bias and apply ReLU, each without the other") {
    const Layer layer{{.size = {5, 5}}, 3, 7, 5, 9, 8};
    const Values values(layer);
    const auto plain = forward(layer.geometry(), values, 1, false, false);
    const auto biased = forward(layer.geometry(), values, 1, true, false);
    const auto cut = forward(layer.geometry(), values, 1, false, true);
    CHECK(std::ranges::any_of(plain, [](float value) { return value < 0.0F; }));
    const auto area = layer.geometry().result.order.area;
    for (std::size_t i = 0; i < plain.size(); ++i) {
        const auto channel = i / static_cast<std::size_t>(area) % values.bias.size();
        CHECK(biased[i] == plain[i] + values.bias[channel]);
        CHECK(cut[i] == std::max(0.0F, plain[i]));
    }
}

TEST_CASE("an infinite value makes no number of a channel that only fills a block up") {
    Layer layer{{.size = {3, 3}}, 1, 12, 20, 5, 5, 8, 8};
    Values values(layer);
    constexpr auto infinite = std::numeric_limits<float>::infinity();
    std::ranges::fill(values.source, infinite);
    clear_padding(layer.geometry().source, values.source);
    std::ranges::fill(values.result_gradient, infinite);
    clear_padding(layer.geometry().result, values.result_gradient);
    const auto found = by_loops(layer, values, 1);
    CHECK(std::ranges::any_of(found.biased, [](float value) { return std::isnan(value); }));
    auto cleared = found;
    clear_padding(layer.geometry().result, cleared.result);
    clear_padding(layer.geometry().result, cleared.biased);
    clear_padding(layer.geometry().source, cleared.source);
    const auto same = [](const std::vector<float>& a, const std::vector<float>& b) {
        return std::ranges::equal(
            a, b, [](float x, float y) { return x == y || (std::isnan(x) && std::isnan(y)); });
    };
    CHECK(same(found.result, cleared.result));
    CHECK(same(found.biased, cleared.biased));
    CHECK(same(found.source, cleared.source));
}

TEST_CASE("the cases that hold the operators against the reference are the own loops'") {
    for (const auto& one : own_loops_cases(2)) {
        const auto& forward = forward_convolution(one);
        INFO(one.name);
        const auto channels = [&](TensorId id) { return one.program.tensor(id).shape[1]; };
        CHECK(onednn::own_passes(forward.as<WindowAttributes>(), channels(forward.inputs[0]),
                                 channels(forward.outputs[0])) == OwnPasses{true, true, true});
    }
}

TEST_CASE("own loops compute passes where oneDNN would copy windows or fill channels up") {
    const auto passes = [](std::int64_t from, std::int64_t to, WindowAttributes window = {.size = {5, 5}}) {
        return onednn::own_passes(window, from, to);
    };
    constexpr OwnPasses none;
    CHECK(passes(500, 1500) == OwnPasses{true, true, true});
    // Whole blocks of channels: the gradient of kernels of 1024 values alone.
    CHECK(passes(64, 192) == OwnPasses{.filter_gradient = true});
    CHECK(passes(64, 192, {.size = {3, 3}}) == none);
    // Few products, or few kernels.
    CHECK(passes(20, 64) == OwnPasses{.input_gradient = false, .filter_gradient = true});
    CHECK(passes(28, 64) == OwnPasses{.input_gradient = true, .filter_gradient = true});
    CHECK(passes(44, 48) == OwnPasses{.forward = true, .filter_gradient = true});
    // Channels that leave vectors empty.
    CHECK(passes(500, 17) == none);
    CHECK(passes(3, 32) == OwnPasses{.filter_gradient = true});
    // Products of matrices, and groups.
    CHECK(passes(500, 1500, {.size = {1, 1}}) == none);
    CHECK(passes(500, 500, {.size = {5, 5}, .groups = 2}) == none);
}
