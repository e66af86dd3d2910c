#include <algorithm>

#include "kernels/onednn/direct_tiles.hpp"

namespace convoy::onednn::direct {
namespace {

/// Taps of one sum: their kernels take an eighth of a core's second cache.
constexpr std::int64_t taps_at_once = 1000;

/// Values of one channel of a copied source, and of one example: [example][channel][row][column], with
/// padding.
std::int64_t copied_plane(const Geometry& g) {
    return g.met_rows(g.result.rows) * g.met_columns();
}
std::int64_t copied_example(const Geometry& g) {
    return g.source.order.channels * copied_plane(g);
}

/// The last tile is filled up with copies of the last result's place.
std::vector<std::int64_t> places_of_windows(const Geometry& g, std::int64_t examples) {
    std::vector<std::int64_t> places;
    for (std::int64_t n = 0; n < examples; ++n)
        for (std::int64_t row = 0; row < g.result.rows; ++row)
            for (std::int64_t column = 0; column < g.result.columns; ++column)
                places.push_back(n * copied_example(g) + row * g.window.stride[0] * g.met_columns() +
                                 column * g.window.stride[1]);
    places.resize(static_cast<std::size_t>(rounded_up(std::ssize(places), rows_of_tile)), places.back());
    return places;
}

std::vector<std::int64_t> places_of_taps(const Geometry& g) {
    std::vector<std::int64_t> places;
    for (std::int64_t channel = 0; channel < g.source.order.channels; ++channel)
        for (std::int64_t row = 0; row < g.window.size[0]; ++row)
            for (std::int64_t column = 0; column < g.window.size[1]; ++column)
                places.push_back(channel * copied_plane(g) + row * g.met_columns() + column);
    return places;
}

/// Copies sixteen kernels for some channels: [channel][tap][kernel], zeros for kernels that are not there.
void copy_kernels(const Geometry& g, std::int64_t first, Part channels, const float* weight, float* to) {
    const auto of_kernel = g.source.order.channels * g.taps();
    const auto kernels = std::min(tile_columns, g.result.order.channels - first);
    const auto* from = weight + first * of_kernel + channels.first * g.taps();
    for (std::int64_t kernel = 0; kernel < tile_columns; ++kernel)
        for (std::int64_t i = 0; i < channels.size * g.taps(); ++i)
            to[i * tile_columns + kernel] = kernel < kernels ? from[kernel * of_kernel + i] : 0.0F;
}

/// Adds the products of six windows and sixteen kernels for some taps to their sums.
void add_windows(const float* source, const std::int64_t* windows, std::span<const std::int64_t> taps,
                 const float* kernels, float* to) {
    std::array<const float*, tile_rows> at{};
    unrolled<tile_rows>([&](auto row) { at[row] = source + windows[row]; });
    Sums<> sums;
    for (const auto tap : taps) {
        sums.add([&](auto row) { return at[row][tap]; }, kernels);
        kernels += tile_columns;
    }
    unrolled<tile_rows>(
        [&](auto row) { sums.add_to(row, to + static_cast<std::int64_t>(row) * tile_columns); });
}

/// The places in the scratch of a pass: a copied source, and for each thread kernels and sums.
struct Room {
    std::int64_t source, kernels, sums;

    Room(const Geometry& g, const Parts& rounds, const Parts& channel_parts)
        : source(room_of(rounds.largest() * copied_example(g))),
          kernels(room_of(channel_parts.largest() * g.taps() * tile_columns)),
          sums(rounded_up(rounds.largest() * g.result.order.area, rows_of_tile) * tile_columns) {}
};

}  // namespace

Forward::Forward(const Geometry& geometry, int threads)
    : geometry_(geometry),
      threads_(threads),
      rounds_(
          Parts::of_at_most(geometry.result.order.examples, results_at_once / geometry.result.order.area)),
      channel_parts_(Parts::of_at_most(geometry.source.order.channels, taps_at_once / geometry.taps())),
      windows_(places_of_windows(geometry, rounds_.largest())),
      taps_(places_of_taps(geometry)) {}

std::int64_t Forward::scratch_floats() const {
    const Room room(geometry_, rounds_, channel_parts_);
    return room.source + threads_ * (room.kernels + room.sums);
}

void Forward::run(const Operands& operands) const {
    for (std::int64_t round = 0; round < rounds_.count(); ++round) {
        copy_source(operands, rounds_[round]);
        compute(operands, rounds_[round]);
    }
}

void Forward::copy_source(const Operands& operands, Part examples) const {
    on_threads(
        threads_, [this, examples, from = operands.source.data(), to = operands.scratch.data()](int thread) {
            const auto& g = geometry_;
            const auto channels = g.source.order.channels;
            for (std::int64_t i = thread; i < examples.size * channels; i += threads_)
                copy_rows(g, from + g.source.plane(examples.first + i / channels, i % channels),
                          -g.window.padding_before[0], g.met_rows(g.result.rows), to + i * copied_plane(g));
        });
}

/// A task is sixteen kernels for some tiles of results.
void Forward::compute(const Operands& operands, Part examples) const {
    const auto results = examples.size * geometry_.result.order.area;
    const auto blocks = blocks_of(geometry_.result);
    const auto ranges = Parts::of_count(tiles_of(results), parts_of_block(blocks, threads_));
    on_threads(threads_, [=, this](int thread) {
        const auto& g = geometry_;
        const Room room(g, rounds_, channel_parts_);
        const auto* source = operands.scratch.data();
        auto* kernels = operands.scratch.data() + room.source + thread * (room.kernels + room.sums);
        auto* sums = kernels + room.kernels;
        for (std::int64_t task = thread; task < blocks * ranges.count(); task += threads_) {
            const auto first = task / ranges.count() * tile_columns;
            const auto tiles = ranges[task % ranges.count()];
            const auto* windows = windows_.data() + tiles.first * rows_of_tile;
            std::fill_n(sums, tiles.size * rows_of_tile * tile_columns, 0.0F);
            for (std::int64_t i = 0; i < channel_parts_.count(); ++i) {
                const auto part = channel_parts_[i];
                copy_kernels(g, first, part, operands.weight.data(), kernels);
                const std::span taps(taps_.data() + part.first * g.taps(),
                                     static_cast<std::size_t>(part.size * g.taps()));
                for (std::int64_t row = 0; row < tiles.size * rows_of_tile; row += rows_of_tile)
                    add_windows(source, windows + row, taps, kernels, sums + row * tile_columns);
            }
            const auto first_result = tiles.first * rows_of_tile;
            write(operands, examples, first,
                  {first_result, std::min(tiles.size * rows_of_tile, results - first_result)}, sums);
        }
    });
}

/// Adds the bias, applies ReLU, and writes sixteen channels of some results of a round. sums:
/// [result][channel].
void Forward::write(const Operands& operands, Part examples, std::int64_t first_channel, Part results,
                    float* sums) const {
    const auto& maps = geometry_.result;
    std::array<float, tile_columns> bias{};
    if (!operands.bias.empty())
        std::copy_n(operands.bias.data() + first_channel,
                    std::min(tile_columns, maps.order.channels - first_channel), bias.data());
    for (std::int64_t i = 0; i < results.size; ++i)
        for (std::size_t channel = 0; channel < bias.size(); ++channel) {
            auto& sum = sums[i * tile_columns + static_cast<std::int64_t>(channel)];
            sum += bias[channel];
            if (geometry_.window.relu) sum = sum < 0.0F ? 0.0F : sum;
        }
    for (std::int64_t done = 0; done < results.size;) {
        const auto result = results.first + done;
        const auto in_example = result % maps.order.area;
        const Part values{in_example, std::min(results.size - done, maps.order.area - in_example)};
        write_sixteen(maps, examples.first + result / maps.order.area, first_channel, values,
                      sums + done * tile_columns, operands.result.data());
        done += values.size;
    }
}

}  // namespace convoy::onednn::direct
