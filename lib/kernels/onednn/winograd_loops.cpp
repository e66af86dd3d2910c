#include "kernels/onednn/winograd_loops.hpp"

#include <algorithm>

#include "base/cpu_versions.hpp"
#include "kernels/onednn/winograd_transforms.hpp"

namespace convoy::onednn::winograd {
namespace {

constexpr auto block = static_cast<std::int64_t>(lanes);
constexpr std::int64_t taps = 9;

/// Calls use with a value of the transforms' type.
template <typename Use>
void with_transforms(Tile tile, const Use& use) {
    if (tile == Tile::four_results) {
        use(FourResults());
    } else {
        use(PaddedPair());
    }
}

/// Calls body(index) for every index below count, shared among the threads.
template <typename Body>
void shared(std::int64_t count, Body body) {
#pragma omp parallel for schedule(static) firstprivate(body)
    for (std::int64_t i = 0; i < count; ++i) in_cpu_version([i, body] { body(i); });
}

/// A tile's place in its map: the example, and the first row and column of its results.
struct Place {
    std::int64_t example, row, column;
};

template <typename Transforms>
Place place_of(const Extents& tiles, std::int64_t tile) {
    constexpr auto step = static_cast<std::int64_t>(Transforms::results);
    const auto within = tile % (tiles[0] * tiles[1]);
    return {tile / (tiles[0] * tiles[1]), within / tiles[1] * step, within % tiles[1] * step};
}

/// Some rows and columns of a square that lie inside of a map, which begins at (-row, -column) of it.
struct Inside {
    std::int64_t first_row, end_row, first_column, end_column;
    Inside(const Extents& map, std::int64_t row, std::int64_t column, std::int64_t size)
        : first_row(std::max<std::int64_t>(0, -row)),
          end_row(std::min(size, map[0] - row)),
          first_column(std::max<std::int64_t>(0, -column)),
          end_column(std::min(size, map[1] - column)) {}
    [[nodiscard]] bool whole(std::int64_t size) const {
        return first_row == 0 && first_column == 0 && end_row == size && end_column == size;
    }
};

/// A square of a map for eight channels; zeros outside of the map. pixels: of these channels, of the square's
/// first row and column, which may lie before the map's.
template <std::size_t Size>
void load_square(const float* pixels, std::int64_t row_stride, const Inside& inside,
                 Vectors<Size * Size>& square) {
    if (inside.whole(Size)) {
        unrolled<Size * Size>([&](auto i) {
            load<lanes>(pixels + static_cast<std::int64_t>(i / Size) * row_stride +
                            static_cast<std::int64_t>(i % Size) * block,
                        square[i]);
        });
        return;
    }
    square.fill(Vector{});
    for (auto row = inside.first_row; row < inside.end_row; ++row)
        for (auto column = inside.first_column; column < inside.end_column; ++column)
            load<lanes>(pixels + row * row_stride + column * block,
                        square[static_cast<std::size_t>(row) * Size + static_cast<std::size_t>(column)]);
}

/// Eight neighbouring columns of one row, of all planes.
template <std::size_t Count>
void load_planes(const Planes& planes, std::int64_t row, std::int64_t column, Vectors<Count>& values) {
    const auto* from = planes.values.data() + row * planes.columns + column;
    unrolled<Count>(
        [&](auto i) { load<lanes>(from + static_cast<std::int64_t>(i) * planes.stride, values[i]); });
}

template <std::size_t Count>
void store_planes(const Vectors<Count>& values, const Planes& planes, std::int64_t row, std::int64_t column) {
    auto* to = planes.values.data() + row * planes.columns + column;
    unrolled<Count>(
        [&](auto i) { store<lanes>(values[i], to + static_cast<std::int64_t>(i) * planes.stride); });
}

/// A map that is read tile by tile.
struct ReadMap {
    std::span<const float> values;
    Extents extents;
    std::int64_t channels;
    Extents before;  ///< the rows and columns by which a tile's square begins before its results
};

template <typename Transforms, typename Row>
void to_planes(const ReadMap& map, const Extents& tiles, Range some, Range channels, const Planes& planes) {
    constexpr auto size = static_cast<std::int64_t>(Row::from);
    shared(some.count, [=](std::int64_t t) {
        const auto place = place_of<Transforms>(tiles, some.first + t);
        const auto row = place.row - map.before[0];
        const auto column = place.column - map.before[1];
        const Inside inside(map.extents, row, column, size);
        const auto row_stride = map.extents[1] * block;
        for (std::int64_t channel = 0; channel < channels.count; channel += block) {
            const auto plane = place.example * map.channels + channels.first + channel;
            const auto* pixels = map.values.data() + plane * map.extents[0] * map.extents[1] +
                                 row * row_stride + column * block;
            Vectors<Row::from * Row::from> square;
            Vectors<Row::to * Row::to> transformed;
            load_square<Row::from>(pixels, row_stride, inside, square);
            transform<Row>(square, transformed);
            store_planes(transformed, planes, t, channel);
        }
    });
}

/// The place of eight result channels' first tap for one source channel. turned: in OIhw8o8i, where the
/// source's channels are O.
std::int64_t first_tap(const Geometry& geometry, bool turned, std::int64_t source_channel,
                       std::int64_t result_channel) {
    const auto source_block = source_channel / block;
    const auto result_block = result_channel / block;
    const auto kernel_block = turned ? source_block * (geometry.result_channels / block) + result_block
                                     : result_block * (geometry.source_channels / block) + source_block;
    return kernel_block * taps * block * block + source_channel % block * block;
}

/// Rows x 16 results: sums in the order of `inner`.
template <std::size_t Rows>
void multiply_rows(const float* a, std::int64_t row_step, std::int64_t inner_step, const Planes& b,
                   const float* b_values, std::int64_t inner, const Planes& result, float* result_values) {
    Vectors<Rows> left{};
    Vectors<Rows> right{};
    for (std::int64_t k = 0; k < inner; ++k) {
        Vector b_left;
        Vector b_right;
        load<lanes>(b_values + k * b.columns, b_left);
        load<lanes>(b_values + k * b.columns + block, b_right);
        unrolled<Rows>([&](auto row) {
            const float factor = a[static_cast<std::int64_t>(row) * row_step + k * inner_step];
            left[row] += factor * b_left;
            right[row] += factor * b_right;
        });
    }
    unrolled<Rows>([&](auto row) {
        auto* to = result_values + static_cast<std::int64_t>(row) * result.columns;
        store<lanes>(left[row], to);
        store<lanes>(right[row], to + block);
    });
}

/// The rows that fit the registers together with what they are multiplied by.
constexpr std::int64_t rows_at_once = 6;

void multiply_plane(const Planes& a, bool transposed_a, const Planes& b, std::int64_t rows,
                    std::int64_t inner, const Planes& result, std::int64_t plane) {
    const auto row_step = transposed_a ? 1 : a.columns;
    const auto inner_step = transposed_a ? a.columns : 1;
    for (std::int64_t column = 0; column < result.columns; column += 2 * block) {
        const auto* bs = b.values.data() + plane * b.stride + column;
        std::int64_t row = 0;
        const auto some = [&]<std::size_t Rows>(std::integral_constant<std::size_t, Rows>) {
            multiply_rows<Rows>(a.values.data() + plane * a.stride + row * row_step, row_step, inner_step, b,
                                bs, inner, result,
                                result.values.data() + plane * result.stride + row * result.columns + column);
            row += static_cast<std::int64_t>(Rows);
        };
        while (row + rows_at_once <= rows) some(std::integral_constant<std::size_t, rows_at_once>{});
        if (row + 4 <= rows) some(std::integral_constant<std::size_t, 4>{});
        if (row + 2 <= rows) some(std::integral_constant<std::size_t, 2>{});
        if (row < rows) some(std::integral_constant<std::size_t, 1>{});
    }
}

}  // namespace

std::size_t products(Tile tile) {
    return tile == Tile::four_results ? FourResults::points * FourResults::points
                                      : PaddedPair::points * PaddedPair::points;
}

Extents Geometry::tiles() const {
    const auto size =
        static_cast<std::int64_t>(tile == Tile::four_results ? FourResults::results : PaddedPair::results);
    return {(result[0] + size - 1) / size, (result[1] + size - 1) / size};
}

std::int64_t stride_of(std::int64_t rows, std::int64_t columns) {
    constexpr std::int64_t cache_line = 16;
    return rows * columns + cache_line;
}

void transform_source(const Geometry& geometry, Range tiles, std::span<const float> source,
                      const Planes& planes) {
    with_transforms(geometry.tile, [&]<typename Transforms>(Transforms) {
        const Extents before{geometry.padding[0] - Transforms::skipped,
                             geometry.padding[1] - Transforms::skipped};
        to_planes<Transforms, typename Transforms::Source>(
            {source, geometry.source, geometry.source_channels, before}, geometry.tiles(), tiles,
            {0, geometry.source_channels}, planes);
    });
}

void transform_result_gradient(const Geometry& geometry, Range tiles, Range channels,
                               std::span<const float> gradient, const Planes& planes) {
    with_transforms(geometry.tile, [&]<typename Transforms>(Transforms) {
        to_planes<Transforms, typename Transforms::ResultGradient>(
            {gradient, geometry.result, geometry.result_channels, {0, 0}}, geometry.tiles(), tiles, channels,
            planes);
    });
}

void transform_filter(const Geometry& geometry, Range channels, bool turned, std::span<const float> weight,
                      const Planes& planes) {
    with_transforms(geometry.tile, [&]<typename Transforms>(Transforms) {
        using Row = typename Transforms::Filter;
        shared(geometry.source_channels, [=](std::int64_t source_channel) {
            for (std::int64_t channel = 0; channel < channels.count; channel += block) {
                const auto* tap =
                    weight.data() + first_tap(geometry, turned, source_channel, channels.first + channel);
                Vectors<taps> kernel;
                Vectors<Row::to * Row::to> transformed;
                unrolled<taps>([&](auto i) {
                    const auto place = static_cast<std::int64_t>(i);
                    load<lanes>(tap + (turned ? taps - 1 - place : place) * block * block, kernel[i]);
                });
                transform<Row>(kernel, transformed);
                store_planes(transformed, planes, source_channel, channel);
            }
        });
    });
}

void multiply(const Planes& a, bool transposed_a, const Planes& b, std::int64_t rows, std::int64_t inner,
              const Planes& result) {
    const auto planes = static_cast<std::int64_t>(result.values.size()) / result.stride;
    shared(planes,
           [=](std::int64_t plane) { multiply_plane(a, transposed_a, b, rows, inner, result, plane); });
}

void transform_result(const Geometry& geometry, Range tiles, Range channels, const Planes& planes,
                      const Behind& behind, std::span<float> result) {
    with_transforms(geometry.tile, [&]<typename Transforms>(Transforms) {
        using Row = typename Transforms::Result;
        constexpr auto size = static_cast<std::int64_t>(Row::to);
        shared(tiles.count, [=, all = geometry.tiles()](std::int64_t t) {
            const auto place = place_of<Transforms>(all, tiles.first + t);
            const Inside inside(geometry.result, place.row, place.column, size);
            for (std::int64_t channel = 0; channel < channels.count; channel += block) {
                Vectors<Row::from * Row::from> sums;
                Vectors<Row::to * Row::to> square;
                load_planes(planes, t, channel, sums);
                transform<Row>(sums, square);
                Vector bias{};
                if (!behind.bias.empty()) load<lanes>(&behind.bias[channels.first + channel], bias);
                const auto plane = place.example * geometry.result_channels + channels.first + channel;
                auto* pixels = result.data() + plane * geometry.result[0] * geometry.result[1];
                for (auto row = inside.first_row; row < inside.end_row; ++row) {
                    for (auto column = inside.first_column; column < inside.end_column; ++column) {
                        Vector value = square[static_cast<std::size_t>(row * size + column)] + bias;
                        if (behind.relu) value = value > Vector{} ? value : Vector{};
                        store<lanes>(
                            value, pixels + ((place.row + row) * geometry.result[1] + place.column + column) *
                                                block);
                    }
                }
            }
        });
    });
}

void transform_filter_gradient(const Geometry& geometry, Range channels, const Planes& planes, bool added,
                               std::span<float> gradient) {
    with_transforms(geometry.tile, [&]<typename Transforms>(Transforms) {
        using Row = typename Transforms::FilterGradient;
        shared(geometry.source_channels, [=](std::int64_t source_channel) {
            for (std::int64_t channel = 0; channel < channels.count; channel += block) {
                auto* tap =
                    gradient.data() + first_tap(geometry, false, source_channel, channels.first + channel);
                Vectors<Row::from * Row::from> sums;
                Vectors<taps> kernel;
                load_planes(planes, source_channel, channel, sums);
                transform<Row>(sums, kernel);
                unrolled<taps>([&](auto i) {
                    auto* to = tap + static_cast<std::int64_t>(i) * block * block;
                    Vector before{};
                    if (added) load<lanes>(to, before);
                    store<lanes>(before + kernel[i], to);
                });
            }
        });
    });
}

}  // namespace convoy::onednn::winograd
