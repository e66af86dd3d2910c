#include <algorithm>

#include "kernels/onednn/direct_tiles.hpp"

namespace convoy::onednn::direct {
namespace {

/// Values of the source that one task meets: they take 300 KB of a core's second cache (512 KB).
constexpr std::int64_t values_at_once = 75'000;

/// The results of some rows of some examples, of all channels.
struct Band {
    Part examples, rows;
};

/// Results of a band, of one channel.
std::int64_t results_of(const Geometry& g, const Band& band) {
    return band.examples.size * band.rows.size * g.result.columns;
}

/// Values of the source, of one channel and one example, that a band's windows meet.
std::int64_t met_values(const Geometry& g, const Band& band) {
    return g.met_rows(band.rows.size) * g.met_columns();
}

/// A column of the matrix of kernels O x (C,H,W), and its place in a copied source.
struct Tap {
    std::int64_t channel, row, column;

    Tap(const WindowAttributes& window, std::int64_t number)
        : channel(number / (window.size[0] * window.size[1])),
          row(number / window.size[1] % window.size[0]),
          column(number % window.size[1]) {}
    void next(const WindowAttributes& window) {
        if (++column < window.size[1]) return;
        column = 0;
        if (++row < window.size[0]) return;
        row = 0;
        ++channel;
    }
};

/// How the products of a band are cut into tasks: a task has some tiles of six columns of the matrix of
/// kernels, of some blocks of sixteen kernels.
struct Cut {
    Parts tiles, block_groups;

    Cut(const Geometry& g, const Band& band, int threads)
        : tiles(tiles_of_band(g, band, threads)),
          block_groups(Parts::of_count(blocks_of(g.result), (threads + tiles.count() - 1) / tiles.count())) {}

    /// The most channels that the columns of a task belong to.
    [[nodiscard]] std::int64_t channels(const Geometry& g) const {
        const auto columns = tiles.largest() * rows_of_tile;
        return std::min(g.source.order.channels, (columns + g.taps() - 2) / g.taps() + 1);
    }

  private:
    /// Every thread gets the same number of parts, and its cache holds the source of each.
    static Parts tiles_of_band(const Geometry& g, const Band& band, int threads) {
        const auto channels = values_at_once / (band.examples.size * met_values(g, band));
        const auto all = tiles_of(g.source.order.channels * g.taps());
        // (c - 1) x taps + 1 columns meet at most c channels, wherever they begin. A task may always meet
        // two.
        const auto columns = std::max<std::int64_t>(1, channels - 1) * g.taps() + 1;
        const auto most = channels >= g.source.order.channels ? all : columns / rows_of_tile;
        return Parts::of_count(all, rounded_up(Parts::of_at_most(all, most).count(), threads));
    }
};

/// The places in the scratch of a band: the gradients of all channels, and a copied source for each thread.
struct Room {
    std::int64_t gradients, source;

    Room(const Geometry& g, const Band& band, const Cut& cut)
        : gradients(blocks_of(g.result) * tile_columns * results_of(g, band)),
          source(room_of(cut.channels(g) * band.examples.size * met_values(g, band))) {}
};

/// The products of a task with one block of sixteen kernels.
struct Task {
    const Geometry& g;
    const Band& band;
    Part tiles;

    /// The channels that the task's columns belong to.
    [[nodiscard]] Part channels() const {
        const auto first = tiles.first * rows_of_tile / g.taps();
        return {first, (end_column() - 1) / g.taps() + 1 - first};
    }
    [[nodiscard]] std::int64_t end_column() const {
        return std::min(g.source.order.channels * g.taps(), (tiles.first + tiles.size) * rows_of_tile);
    }

    /// Copies the values that a band's windows meet: [channel][example][row][column], zeros in the padding.
    void copy_source(const float* from, float* to) const {
        const auto rows = g.met_rows(band.rows.size);
        const auto first_row = band.rows.first * g.window.stride[0] - g.window.padding_before[0];
        for (std::int64_t channel = 0; channel < channels().size; ++channel)
            for (std::int64_t n = 0; n < band.examples.size; ++n, to += met_values(g, band))
                copy_rows(g, from + g.source.plane(band.examples.first + n, channels().first + channel),
                          first_row, rows, to);
    }

    /// source: as from copy_source; gradients: [result of the band][kernel]; to: the first kernel of the
    /// block, of which so many are there.
    void run(const float* source, const float* gradients, std::int64_t kernels, bool added, float* to) const {
        const auto of_kernel = g.source.order.channels * g.taps();
        const auto first_channel = channels().first;
        Tap tap(g.window, tiles.first * rows_of_tile);
        for (auto first = tiles.first * rows_of_tile; first < end_column(); first += rows_of_tile) {
            const auto count = std::min(rows_of_tile, end_column() - first);
            std::array<std::int64_t, tile_rows> places{};
            for (std::int64_t i = 0; i < count; ++i, tap.next(g.window))
                places[static_cast<std::size_t>(i)] =
                    (tap.channel - first_channel) * band.examples.size * met_values(g, band) +
                    tap.row * g.met_columns() + tap.column;
            Sums<> sums;
            add_band(source, places, gradients, sums);
            for (std::int64_t kernel = 0; kernel < kernels; ++kernel) {
                const auto& half = sums.halves[static_cast<std::size_t>(kernel) / lanes];
                auto* values = to + kernel * of_kernel + first;
                for (std::int64_t i = 0; i < count; ++i) {
                    const auto sum =
                        half[static_cast<std::size_t>(i)][static_cast<std::size_t>(kernel) % lanes];
                    values[i] = added ? values[i] + sum : sum;
                }
            }
        }
    }

    void add_band(const float* source, const std::array<std::int64_t, tile_rows>& places,
                  const float* gradients, Sums<>& sums) const {
        const auto step = g.window.stride[1];
        const auto columns = g.result.columns;
        const auto line = g.window.stride[0] * g.met_columns();
        for (std::int64_t n = 0; n < band.examples.size; ++n) {
            const auto* values = source + n * met_values(g, band);
            for (std::int64_t row = 0; row < band.rows.size; ++row, values += line) {
                std::array<const float*, tile_rows> at{};
                unrolled<tile_rows>([&](auto i) { at[i] = values + places[i]; });
                for (std::int64_t i = 0; i < columns * step; i += step, gradients += tile_columns)
                    sums.add([&](auto of) { return at[of][i]; }, gradients);
            }
        }
    }
};

/// Copies the gradients of a band: [block of sixteen channels][result][channel].
void copy_gradients(const Geometry& g, const Band& band, int threads, const float* from, float* to) {
    on_threads(threads, [=, &g](int thread) {
        const Part values{band.rows.first * g.result.columns, band.rows.size * g.result.columns};
        const auto examples = band.examples.size;
        for (std::int64_t i = thread; i < blocks_of(g.result) * examples; i += threads)
            copy_sixteen(g.result, band.examples.first + i % examples, i / examples * tile_columns, values,
                         from, to + i * values.size * tile_columns);
    });
}

/// added: to the gradient of the bands before.
void add_products(const Geometry& g, const Band& band, int threads, bool added,
                  const FilterGradient::Operands& operands) {
    const Cut cut(g, band, threads);
    on_threads(threads, [=, &g](int thread) {
        const Room room(g, band, cut);
        const auto* gradients = operands.scratch.data();
        auto* copy = operands.scratch.data() + room.gradients + thread * room.source;
        for (std::int64_t i = thread; i < cut.tiles.count() * cut.block_groups.count(); i += threads) {
            const Task task{g, band, cut.tiles[i % cut.tiles.count()]};
            const auto group = cut.block_groups[i / cut.tiles.count()];
            task.copy_source(operands.source.data(), copy);
            for (auto block = group.first; block < group.first + group.size; ++block) {
                const auto first = block * tile_columns;
                task.run(copy, gradients + first * results_of(g, band),
                         std::min(tile_columns, g.result.order.channels - first), added,
                         operands.gradient.data() + first * g.source.order.channels * g.taps());
            }
        }
    });
}

/// Calls use(band) for each band, the first of the examples first.
template <typename Use>
void for_bands(const Parts& examples, const Parts& rows, const Use& use) {
    for (std::int64_t i = 0; i < examples.count(); ++i)
        for (std::int64_t j = 0; j < rows.count(); ++j) use(Band{examples[i], rows[j]});
}

}  // namespace

FilterGradient::FilterGradient(const Geometry& geometry, int threads)
    : geometry_(geometry),
      threads_(threads),
      example_parts_(
          Parts::of_at_most(geometry.result.order.examples, results_at_once / geometry.result.order.area)),
      row_parts_(Parts::of_at_most(geometry.result.rows, results_at_once / geometry.result.columns)) {}

std::int64_t FilterGradient::scratch_floats() const {
    std::int64_t most = 0;
    for_bands(example_parts_, row_parts_, [&](const Band& band) {
        const Room room(geometry_, band, Cut(geometry_, band, threads_));
        most = std::max(most, room.gradients + threads_ * room.source);
    });
    return most;
}

void FilterGradient::run(const Operands& operands) const {
    bool added = false;
    for_bands(example_parts_, row_parts_, [&](const Band& band) {
        copy_gradients(geometry_, band, threads_, operands.result_gradient.data(), operands.scratch.data());
        add_products(geometry_, band, threads_, added, operands);
        added = true;
    });
}

}  // namespace convoy::onednn::direct
