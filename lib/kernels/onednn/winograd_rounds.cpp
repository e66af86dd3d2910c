#include "kernels/onednn/winograd_rounds.hpp"

#include <algorithm>

namespace convoy::onednn::winograd {
namespace {

/// What one round of products takes: few enough for the caches, and enough that transforms of kernels, which
/// each round repeats, cost little.
constexpr std::int64_t tiles_at_once = 128;
constexpr std::int64_t channels_at_once = 64;

/// Calls round(tiles) for all tiles of these examples.
template <typename Round>
void for_tiles(const Geometry& geometry, std::int64_t examples, const Round& round) {
    const auto [down, across] = geometry.tiles();
    const auto all = examples * down * across;
    for (std::int64_t first = 0; first < all; first += tiles_at_once)
        round(Range{first, std::min(tiles_at_once, all - first)});
}

template <typename Round>
void for_result_channels(const Geometry& geometry, const Round& round) {
    for (std::int64_t first = 0; first < geometry.result_channels; first += channels_at_once)
        round(Range{first, std::min(channels_at_once, geometry.result_channels - first)});
}

/// Hands out the scratchpad from its beginning.
class Scratch {
  public:
    Scratch(const Geometry& geometry, std::span<float> values)
        : products_(products(geometry.tile)), values_(values) {}
    Planes take(std::int64_t rows, std::int64_t columns) {
        const auto stride = stride_of(rows, columns);
        const auto count = products_ * static_cast<std::size_t>(stride);
        const Planes planes{values_.first(count), columns, stride};
        values_ = values_.subspan(count);
        return planes;
    }

  private:
    std::size_t products_;
    std::span<float> values_;
};

}  // namespace

Geometry backward(const Geometry& geometry) {
    return {.tile = geometry.tile,
            .source_channels = geometry.result_channels,
            .result_channels = geometry.source_channels,
            .source = geometry.result,
            .result = geometry.source,
            .padding = {2 - geometry.padding[0], 2 - geometry.padding[1]}};
}

std::int64_t scratch_floats(const Geometry& geometry, std::int64_t examples) {
    const auto [down, across] = geometry.tiles();
    const auto tiles = std::min(tiles_at_once, examples * down * across);
    const auto channels = std::min(channels_at_once, geometry.result_channels);
    const auto rows = stride_of(tiles, geometry.source_channels) +
                      stride_of(geometry.source_channels, channels) + stride_of(tiles, channels);
    return static_cast<std::int64_t>(products(geometry.tile)) * rows;
}

void Convolution::run() const {
    for_tiles(geometry, examples, [this](Range tiles) {
        Scratch left(geometry, scratch);
        const auto sources = left.take(tiles.count, geometry.source_channels);
        transform_source(geometry, tiles, source, sources);
        for_result_channels(geometry, [&, this](Range channels) {
            auto rest = left;
            const auto kernels = rest.take(geometry.source_channels, channels.count);
            const auto sums = rest.take(tiles.count, channels.count);
            transform_filter(geometry, channels, turned, weight, kernels);
            multiply(sources, false, kernels, tiles.count, geometry.source_channels, sums);
            transform_result(geometry, tiles, channels, sums, behind, result);
        });
    });
}

void FilterGradient::run() const {
    for_tiles(geometry, examples, [this](Range tiles) {
        Scratch left(geometry, scratch);
        const auto sources = left.take(tiles.count, geometry.source_channels);
        transform_source(geometry, tiles, source, sources);
        for_result_channels(geometry, [&, this](Range channels) {
            auto rest = left;
            const auto results = rest.take(tiles.count, channels.count);
            const auto sums = rest.take(geometry.source_channels, channels.count);
            transform_result_gradient(geometry, tiles, channels, result_gradient, results);
            multiply(sources, true, results, geometry.source_channels, tiles.count, sums);
            transform_filter_gradient(geometry, channels, sums, tiles.first > 0, gradient);
        });
    });
}

}  // namespace convoy::onednn::winograd
