#include <algorithm>

#include "kernels/onednn/direct_tiles.hpp"

namespace convoy::onednn::direct {
namespace {

/// Kernels of one sum: those of one tap and sixteen channels take half of a core's first cache.
constexpr std::int64_t kernels_at_once = 256;
/// Gradients that all taps meet one after the other, in the core's second cache (512 KB).
constexpr std::int64_t gradients_at_once = 50'000;

/// The columns and values of a source with its padding, and with values that no window meets.
std::int64_t padded_columns(const Geometry& g) {
    return std::max(g.met_columns(), g.window.padding_before[1] + g.source.columns);
}
std::int64_t padded_values(const Geometry& g) {
    return std::max(g.met_rows(g.result.rows), g.window.padding_before[0] + g.source.rows) *
           padded_columns(g);
}

/// The last tile is filled up with the place behind all examples.
std::vector<std::int64_t> places_of_windows(const Geometry& g, std::int64_t examples) {
    std::vector<std::int64_t> places;
    for (std::int64_t n = 0; n < examples; ++n)
        for (std::int64_t row = 0; row < g.result.rows; ++row)
            for (std::int64_t column = 0; column < g.result.columns; ++column) {
                const auto line = n * padded_values(g) + row * g.window.stride[0] * padded_columns(g);
                places.push_back((line + column * g.window.stride[1]) * tile_columns);
            }
    places.resize(static_cast<std::size_t>(rounded_up(std::ssize(places), rows_of_tile)),
                  examples * padded_values(g) * tile_columns);
    return places;
}

/// Copies the gradients of some kernels of a part for a group of examples: [tile][kernel of the part][result
/// of the tile], zeros where the last tile has no result.
void copy_tiles(const Geometry& g, Part group, Part part, Part kernels, const float* from, float* to) {
    const auto& maps = g.result;
    for (auto kernel = kernels.first; kernel < kernels.first + kernels.size; ++kernel) {
        auto* tile = to + kernel * rows_of_tile;
        std::int64_t in_tile = 0;
        for (std::int64_t n = 0; n < group.size; ++n) {
            const auto* values = from + maps.plane(group.first + n, part.first + kernel);
            for (std::int64_t i = 0; i < maps.order.area; ++i) {
                tile[in_tile] = values[i * maps.order.block];
                if (++in_tile < rows_of_tile) continue;
                in_tile = 0;
                tile += part.size * rows_of_tile;
            }
        }
        for (; in_tile > 0 && in_tile < rows_of_tile; ++in_tile) tile[in_tile] = 0.0F;
    }
}

/// Copies the kernels of a part for sixteen channels: [tap][kernel][channel], zeros for channels that are not
/// there.
void copy_kernels(const Geometry& g, Part part, Part channels, const float* weight, float* to) {
    const auto taps = g.taps();
    for (std::int64_t kernel = 0; kernel < part.size; ++kernel) {
        const auto* from = weight + ((part.first + kernel) * g.source.order.channels + channels.first) * taps;
        for (std::int64_t tap = 0; tap < taps; ++tap) {
            auto* row = to + (tap * part.size + kernel) * tile_columns;
            for (std::int64_t channel = 0; channel < channels.size; ++channel)
                row[channel] = from[channel * taps + tap];
            std::fill(row + channels.size, row + tile_columns, 0.0F);
        }
    }
}

/// Adds the products of one tile of gradients and the kernels of one tap to the source's gradient.
template <std::size_t Halves>
void add_tile(const float* gradients, const float* kernels, std::int64_t count, const std::int64_t* windows,
              float* source) {
    Sums<Halves> sums;
    for (std::int64_t kernel = 0; kernel < count; ++kernel) {
        sums.add([&](auto row) { return gradients[row]; }, kernels);
        gradients += rows_of_tile;
        kernels += tile_columns;
    }
    unrolled<tile_rows>([&](auto row) { sums.add_to(row, source + windows[row]); });
}

/// Adds the products of a group's gradients and the kernels of a part to the source's gradient. The last tap
/// comes first: so each value of the source gets the products of its results in their order, wherever a run
/// of tiles ends. Halves: 1 for at most eight channels.
template <std::size_t Halves>
void add_part(const Geometry& g, std::int64_t tiles, Part part, const float* gradients, const float* kernels,
              const std::int64_t* windows, float* source) {
    const auto of_tile = part.size * rows_of_tile;
    const auto at_once = std::max<std::int64_t>(1, gradients_at_once / of_tile);
    for (std::int64_t first = 0; first < tiles; first += at_once)
        for (auto tap = g.taps() - 1; tap >= 0; --tap) {
            const auto shift =
                (tap / g.window.size[1] * padded_columns(g) + tap % g.window.size[1]) * tile_columns;
            for (auto tile = first; tile < std::min(tiles, first + at_once); ++tile)
                add_tile<Halves>(gradients + tile * of_tile, kernels + tap * part.size * tile_columns,
                                 part.size, windows + tile * rows_of_tile, source + shift);
        }
}

/// Copies sixteen channels of a group without their padding into the source's gradient.
void write_source(const Geometry& g, Part group, std::int64_t first_channel, const float* from, float* to) {
    for (std::int64_t n = 0; n < group.size; ++n)
        for (std::int64_t row = 0; row < g.source.rows; ++row) {
            const auto place = n * padded_values(g) + (row + g.window.padding_before[0]) * padded_columns(g) +
                               g.window.padding_before[1];
            write_sixteen(g.source, group.first + n, first_channel,
                          {row * g.source.columns, g.source.columns}, from + place * tile_columns, to);
        }
}

/// The places in a thread's scratch: kernels for sixteen channels, and their part of the source's gradient,
/// with room behind it for the taps of one more window.
struct Room {
    std::int64_t kernels, source;

    Room(const Geometry& g, const Parts& kernel_parts, std::int64_t examples)
        : kernels(tile_columns * g.taps() * kernel_parts.largest()),
          source(
              (examples * padded_values(g) + (g.window.size[0] - 1) * padded_columns(g) + g.window.size[1]) *
              tile_columns) {}
};

}  // namespace

InputGradient::InputGradient(const Geometry& geometry, int threads)
    : geometry_(geometry),
      threads_(threads),
      wanted_groups_(parts_of_block(blocks_of(geometry.source), threads)),
      bands_(Parts::of_at_most(geometry.result.order.examples,
                               std::max(results_at_once / geometry.result.order.area, wanted_groups_))),
      kernel_parts_(Parts::of_at_most(geometry.result.order.channels, kernels_at_once)),
      examples_of_group_(Parts::of_count(bands_.largest(), wanted_groups_).largest()),
      windows_(places_of_windows(geometry, examples_of_group_)) {}

Parts InputGradient::groups(Part band) const {
    return Parts::of_count(band.size, wanted_groups_);
}

/// The copied gradients of one group.
std::int64_t InputGradient::copied_floats() const {
    return room_of(std::ssize(windows_) * geometry_.result.order.channels);
}

std::int64_t InputGradient::scratch_floats() const {
    const Room room(geometry_, kernel_parts_, examples_of_group_);
    return groups(bands_[0]).count() * copied_floats() + threads_ * (room.kernels + room.source);
}

void InputGradient::run(const Operands& operands) const {
    for (std::int64_t band = 0; band < bands_.count(); ++band) {
        copy_gradients(operands, bands_[band]);
        compute(operands, bands_[band]);
    }
}

/// Each thread copies some kernels of each part.
void InputGradient::copy_gradients(const Operands& operands, Part band) const {
    on_threads(threads_, [=, this](int thread) {
        const auto of_band = groups(band);
        for (std::int64_t i = 0; i < of_band.count(); ++i) {
            const Part group{band.first + of_band[i].first, of_band[i].size};
            const auto tiles = tiles_of(group.size * geometry_.result.order.area);
            auto* to = operands.scratch.data() + i * copied_floats();
            for (std::int64_t j = 0; j < kernel_parts_.count(); ++j) {
                const auto part = kernel_parts_[j];
                const auto of_threads = Parts::of_count(part.size, threads_);
                if (thread >= of_threads.count()) continue;
                copy_tiles(geometry_, group, part, of_threads[thread], operands.result_gradient.data(),
                           to + part.first * tiles * rows_of_tile);
            }
        }
    });
}

/// A task is sixteen channels of the source for a group of examples.
void InputGradient::compute(const Operands& operands, Part band) const {
    on_threads(threads_, [=, this](int thread) {
        const auto& g = geometry_;
        const auto of_band = groups(band);
        const Room room(g, kernel_parts_, examples_of_group_);
        auto* kernels = operands.scratch.data() + groups(bands_[0]).count() * copied_floats() +
                        thread * (room.kernels + room.source);
        auto* into = kernels + room.kernels;
        for (std::int64_t task = thread; task < blocks_of(g.source) * of_band.count(); task += threads_) {
            const auto in_band = of_band[task % of_band.count()];
            const auto* copied = operands.scratch.data() + task % of_band.count() * copied_floats();
            const auto tiles = tiles_of(in_band.size * g.result.order.area);
            const auto first = task / of_band.count() * tile_columns;
            const Part channels{first, std::min(tile_columns, g.source.order.channels - first)};
            std::fill_n(into, room.source, 0.0F);
            for (std::int64_t i = 0; i < kernel_parts_.count(); ++i) {
                const auto part = kernel_parts_[i];
                copy_kernels(g, part, channels, operands.weight.data(), kernels);
                const auto* gradients = copied + part.first * tiles * rows_of_tile;
                if (channels.size > static_cast<std::int64_t>(lanes)) {
                    add_part<2>(g, tiles, part, gradients, kernels, windows_.data(), into);
                } else {
                    add_part<1>(g, tiles, part, gradients, kernels, windows_.data(), into);
                }
            }
            write_source(g, {band.first + in_band.first, in_band.size}, first, into,
                         operands.gradient.data());
        }
    });
}

}  // namespace convoy::onednn::direct
