#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "base/cpu_versions.hpp"
#include "kernels/onednn/direct_loops.hpp"
#include "kernels/onednn/winograd_transforms.hpp"

/// What the passes of direct_loops.hpp are made of.
namespace convoy::onednn::direct {

using winograd::lanes;
using winograd::unrolled;
using winograd::Vector;
using winograd::Vectors;

/// The values of one product: they fill the registers, with what is multiplied.
inline constexpr std::size_t tile_rows = 6;
inline constexpr auto rows_of_tile = static_cast<std::int64_t>(tile_rows);
inline constexpr std::int64_t tile_columns = 2 * static_cast<std::int64_t>(lanes);

/// Results that are computed at once: sixteen channels of them take a fifth of a core's second cache
/// (512 KB). One example may have more.
inline constexpr std::int64_t results_at_once = 1600;

inline std::int64_t rounded_up(std::int64_t value, std::int64_t whole) {
    return (value + whole - 1) / whole * whole;
}

/// The number of tiles of so many rows.
inline std::int64_t tiles_of(std::int64_t rows) {
    return rounded_up(rows, rows_of_tile) / rows_of_tile;
}

/// The number of blocks of sixteen channels.
inline std::int64_t blocks_of(const Maps& maps) {
    return rounded_up(maps.order.channels, tile_columns) / tile_columns;
}

/// Parts of each block, so that every thread has the same number of tasks: a task is a part of a block.
inline std::int64_t parts_of_block(std::int64_t blocks, int threads) {
    return threads / std::gcd(blocks, std::int64_t{threads});
}

/// Floats of a part of the scratch, so that the next part begins with a line of the cache.
inline std::int64_t room_of(std::int64_t floats) {
    constexpr std::int64_t line = 16;
    return rounded_up(floats, line);
}

/// The sums of one product. Halves: 1 leaves its last eight columns alone.
template <std::size_t Halves = 2>
struct Sums {
    std::array<Vectors<tile_rows>, Halves> halves{};

    /// Adds the products of six numbers, of which value(row) gives one, and sixteen neighbouring ones.
    template <typename Value>
    void add(const Value& value, const float* columns) {
        Vectors<Halves> right;
        unrolled<Halves>([&](auto half) { load<lanes>(columns + half * lanes, right[half]); });
        unrolled<tile_rows>([&](auto row) {
            const float factor = value(row);
            unrolled<Halves>([&](auto half) { halves[half][row] += factor * right[half]; });
        });
    }

    /// Adds the sums of a row to sixteen neighbouring numbers.
    template <typename Row>
    void add_to(Row row, float* to) const {
        unrolled<Halves>([&](auto half) {
            Vector before;
            load<lanes>(to + half * lanes, before);
            store<lanes>(before + halves[half][row], to + half * lanes);
        });
    }
};

/// Calls body(thread) for every thread.
template <typename Body>
void on_threads(int threads, Body body) {
#pragma omp parallel for schedule(static, 1) firstprivate(body)
    for (int thread = 0; thread < threads; ++thread) in_cpu_version([thread, body] { body(thread); });
}

/// Copies rows of one channel of a source, g.met_columns() values each, with zeros in the padding. The first
/// row may lie in the padding and have a negative number. plane: the channel's first value.
inline void copy_rows(const Geometry& g, const float* plane, std::int64_t first_row, std::int64_t rows,
                      float* to) {
    const auto& maps = g.source;
    const auto columns = g.met_columns();
    const auto before = g.window.padding_before[1];
    const auto end = std::min(columns, before + maps.columns);
    for (auto row = first_row; row < first_row + rows; ++row, to += columns) {
        const bool inside = row >= 0 && row < maps.rows;
        std::fill_n(to, inside ? before : columns, 0.0F);
        if (!inside) continue;
        const auto* values = plane + row * maps.columns * maps.order.block;
        for (auto column = before; column < end; ++column)
            to[column] = values[(column - before) * maps.order.block];
        std::fill(to + end, to + columns, 0.0F);
    }
}

/// Copies some values of sixteen channels: [value][channel], zeros for channels that are not there. values:
/// by number in a channel, row by row. from: the whole activation.
inline void copy_sixteen(const Maps& maps, std::int64_t example, std::int64_t first_channel, Part values,
                         const float* from, float* to) {
    constexpr auto half = static_cast<std::int64_t>(lanes);
    const auto block = maps.order.block;
    for (auto channel = first_channel; channel < first_channel + tile_columns; channel += half, to += half) {
        if (block % half == 0 && channel < maps.order.channels) {
            const auto* plane = from + maps.plane(example, channel) + values.first * block;
            for (std::int64_t i = 0; i < values.size; ++i)
                std::memcpy(to + i * tile_columns, plane + i * block, sizeof(Vector));
            continue;
        }
        for (std::int64_t one = 0; one < half; ++one) {
            const bool there = channel + one < maps.order.channels;
            const auto* plane = from + maps.plane(example, there ? channel + one : 0) + values.first * block;
            for (std::int64_t i = 0; i < values.size; ++i)
                to[i * tile_columns + one] = there ? plane[i * block] : 0.0F;
        }
    }
}

/// Writes what copy_sixteen copies, and zeros into channels that only fill a block of the format up.
inline void write_sixteen(const Maps& maps, std::int64_t example, std::int64_t first_channel, Part values,
                          const float* from, float* to) {
    constexpr auto half = static_cast<std::int64_t>(lanes);
    const auto block = maps.order.block;
    const auto stored = maps.order.blocks() * block;
    for (auto channel = first_channel; channel < std::min(stored, first_channel + tile_columns);
         channel += half, from += half) {
        if (block % half == 0 && channel + half <= maps.order.channels) {
            auto* plane = to + maps.plane(example, channel) + values.first * block;
            for (std::int64_t i = 0; i < values.size; ++i)
                std::memcpy(plane + i * block, from + i * tile_columns, sizeof(Vector));
            continue;
        }
        for (std::int64_t one = 0; one < std::min(half, stored - channel); ++one) {
            const bool fills = channel + one >= maps.order.channels;
            auto* plane = to + maps.plane(example, channel + one) + values.first * block;
            for (std::int64_t i = 0; i < values.size; ++i)
                plane[i * block] = fills ? 0.0F : from[i * tile_columns + one];
        }
    }
}

}  // namespace convoy::onednn::direct
