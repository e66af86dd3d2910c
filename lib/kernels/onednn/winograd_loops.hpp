#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

/// The loops of Winograd's convolution of 3 x 3 kernels with stride 1. Activations are nChw8c, kernels
/// OIhw8i8o; numbers of channels are multiples of 16. Every result is a sum in one order, whatever the number
/// of examples beside it and of threads. Lavin and Gray, "Fast algorithms for convolutional neural networks",
/// arXiv:1509.09308.
namespace convoy::onednn::winograd {

enum class Tile {
    four_results,  ///< 4 x 4 results by 36 products
    padded_pair,   ///< a whole map of 2 x 2 in padding of one, by 9 products
};

/// Products for one tile and pair of channels.
std::size_t products(Tile tile);

/// Rows and columns.
using Extents = std::array<std::int64_t, 2>;

/// A convolution from one map to another, cut into tiles of the result.
struct Geometry {
    Tile tile = Tile::four_results;
    std::int64_t source_channels = 0;
    std::int64_t result_channels = 0;
    Extents source{}, result{};
    Extents padding{};  ///< before the first row and column of the source

    [[nodiscard]] Extents tiles() const;  ///< of one example
};

/// Consecutive tiles of a batch (all those of an example follow one another), or consecutive channels.
struct Range {
    std::int64_t first = 0;
    std::int64_t count = 0;
};

/// One matrix of `columns` floats a row for each product of a tile, `stride` floats apart.
struct Planes {
    std::span<float> values;
    std::int64_t columns = 0;
    std::int64_t stride = 0;
};

/// The floats of Planes, with what keeps them from lying a power of two apart.
std::int64_t stride_of(std::int64_t rows, std::int64_t columns);

/// Rows of these tiles, columns of all source channels.
void transform_source(const Geometry& geometry, Range tiles, std::span<const float> source,
                      const Planes& planes);

/// Rows of these tiles, columns of these result channels.
void transform_result_gradient(const Geometry& geometry, Range tiles, Range channels,
                               std::span<const float> gradient, const Planes& planes);

/// Rows of all source channels, columns of these result channels. turned: for the convolution that takes a
/// result's gradient to its source's: the taps in reverse order, and the weight in OIhw8o8i.
void transform_filter(const Geometry& geometry, Range channels, bool turned, std::span<const float> weight,
                      const Planes& planes);

/// result = rows of a times b, for each plane. transposed_a: columns of a instead.
void multiply(const Planes& a, bool transposed_a, const Planes& b, std::int64_t rows, std::int64_t inner,
              const Planes& result);

/// What follows the sum of products. bias: of all result channels, or empty.
struct Behind {
    std::span<const float> bias;
    bool relu = false;
};

/// These result channels of these tiles.
void transform_result(const Geometry& geometry, Range tiles, Range channels, const Planes& planes,
                      const Behind& behind, std::span<float> result);

/// The kernels' gradient for these result channels; added to that which is there, or in its place.
void transform_filter_gradient(const Geometry& geometry, Range channels, const Planes& planes, bool added,
                               std::span<float> gradient);

}  // namespace convoy::onednn::winograd
