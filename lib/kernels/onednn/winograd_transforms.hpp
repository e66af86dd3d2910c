#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "kernels/onednn/stored_vector.hpp"

/// Winograd's transforms of one row of a tile, for eight channels at a time, and the pair of passes over rows
/// and columns that makes a transform of a whole tile of it. Lavin and Gray, arXiv:1509.09308, section 4.
namespace convoy::onednn::winograd {

inline constexpr std::size_t lanes = 8;
using Vector = VectorTypes<lanes>::Floats;
template <std::size_t Count>
using Vectors = std::array<Vector, Count>;

/// Calls body with each number below Count as a constant, so that arrays of registers stay in registers.
template <std::size_t Count, typename Body>
void unrolled(const Body& body) {
    [&]<std::size_t... Index>(std::index_sequence<Index...>) {
        (body(std::integral_constant<std::size_t, Index>{}), ...);
    }
    (std::make_index_sequence<Count>{});
}

/// F(4, 3): four neighbouring results of a filter of three taps from six values by six products. The points
/// are 0, a, -a, b, -b and infinity. With these a and b, results are more accurate than with 1 and 2
/// (Barabasz et al., "Error analysis and improving the accuracy of Winograd convolution", arXiv:1803.10986,
/// has the theory).
struct FourResults {
    static constexpr std::size_t points = 6;
    static constexpr std::size_t results = 4;
    static constexpr int skipped = 0;  ///< values at either end that are padding in every tile

    static constexpr float a = 0.70710678118654752F;
    static constexpr float b = 1.41421356237309505F;
    static constexpr float a2 = a * a, a3 = a2 * a, b2 = b * b, b3 = b2 * b;
    static constexpr float sum = a2 + b2, product = a2 * b2;
    static constexpr float at_a = 1.0F / (2.0F * a2 * (a2 - b2));  ///< 1 / the product of point distances
    static constexpr float at_b = 1.0F / (2.0F * b2 * (b2 - a2));
    static constexpr float at_0 = 1.0F / product;

    struct Source {  ///< B^T
        static constexpr std::size_t from = 6, to = 6;
        static void apply(const Vectors<6>& d, Vectors<6>& v) {
            const Vector even_a = d[4] - b2 * d[2], odd_a = a * (d[3] - b2 * d[1]);
            const Vector even_b = d[4] - a2 * d[2], odd_b = b * (d[3] - a2 * d[1]);
            v = {product * d[0] - sum * d[2] + d[4],
                 even_a + odd_a,
                 even_a - odd_a,
                 even_b + odd_b,
                 even_b - odd_b,
                 product * d[1] - sum * d[3] + d[5]};
        }
    };
    struct Filter {  ///< G
        static constexpr std::size_t from = 3, to = 6;
        static void apply(const Vectors<3>& g, Vectors<6>& u) {
            const Vector even_a = at_a * g[0] + (at_a * a2) * g[2], odd_a = (at_a * a) * g[1];
            const Vector even_b = at_b * g[0] + (at_b * b2) * g[2], odd_b = (at_b * b) * g[1];
            u = {at_0 * g[0], even_a + odd_a, even_a - odd_a, even_b + odd_b, even_b - odd_b, g[2]};
        }
    };
    struct Result {  ///< A^T
        static constexpr std::size_t from = 6, to = 4;
        static void apply(const Vectors<6>& m, Vectors<4>& y) {
            const Vector plus_a = m[1] + m[2], minus_a = m[1] - m[2];
            const Vector plus_b = m[3] + m[4], minus_b = m[3] - m[4];
            y = {m[0] + plus_a + plus_b, a * minus_a + b * minus_b, a2 * plus_a + b2 * plus_b,
                 a3 * minus_a + b3 * minus_b + m[5]};
        }
    };
    struct ResultGradient {  ///< A
        static constexpr std::size_t from = 4, to = 6;
        static void apply(const Vectors<4>& dy, Vectors<6>& w) {
            const Vector even_a = dy[0] + a2 * dy[2], odd_a = a * dy[1] + a3 * dy[3];
            const Vector even_b = dy[0] + b2 * dy[2], odd_b = b * dy[1] + b3 * dy[3];
            w = {dy[0], even_a + odd_a, even_a - odd_a, even_b + odd_b, even_b - odd_b, dy[3]};
        }
    };
    struct FilterGradient {  ///< G^T
        static constexpr std::size_t from = 6, to = 3;
        static void apply(const Vectors<6>& du, Vectors<3>& dg) {
            const Vector plus_a = at_a * (du[1] + du[2]), plus_b = at_b * (du[3] + du[4]);
            dg = {at_0 * du[0] + plus_a + plus_b, (at_a * a) * (du[1] - du[2]) + (at_b * b) * (du[3] - du[4]),
                  a2 * plus_a + b2 * plus_b + du[5]};
        }
    };
};

/// Two results of a filter of three taps from two values between zeros, by three products: the whole of a map
/// of two rows and columns. The zeros save one of the four products of F(2, 3).
struct PaddedPair {
    static constexpr std::size_t points = 3;
    static constexpr std::size_t results = 2;
    static constexpr int skipped = 1;

    struct Source {
        static constexpr std::size_t from = 2, to = 3;
        static void apply(const Vectors<2>& d, Vectors<3>& v) { v = {d[0] + d[1], d[1], d[0]}; }
    };
    struct Filter {
        static constexpr std::size_t from = 3, to = 3;
        static void apply(const Vectors<3>& g, Vectors<3>& u) { u = {g[1], g[2] - g[1], g[0] - g[1]}; }
    };
    struct Result {
        static constexpr std::size_t from = 3, to = 2;
        static void apply(const Vectors<3>& m, Vectors<2>& y) { y = {m[0] + m[1], m[0] + m[2]}; }
    };
    struct ResultGradient {
        static constexpr std::size_t from = 2, to = 3;
        static void apply(const Vectors<2>& dy, Vectors<3>& w) { w = {dy[0] + dy[1], dy[0], dy[1]}; }
    };
    struct FilterGradient {
        static constexpr std::size_t from = 3, to = 3;
        static void apply(const Vectors<3>& du, Vectors<3>& dg) {
            dg = {du[2], du[0] - du[1] - du[2], du[1]};
        }
    };
};

/// Transforms a tile, row after row, of Row::from x Row::from values into one of Row::to x Row::to.
template <typename Row>
void transform(const Vectors<Row::from * Row::from>& tile, Vectors<Row::to * Row::to>& transformed) {
    Vectors<Row::to * Row::from> half;
    unrolled<Row::from>([&](auto column) {
        Vectors<Row::from> in;
        Vectors<Row::to> out;
        unrolled<Row::from>([&](auto i) { in[i] = tile[i * Row::from + column]; });
        Row::apply(in, out);
        unrolled<Row::to>([&](auto i) { half[i * Row::from + column] = out[i]; });
    });
    unrolled<Row::to>([&](auto row) {
        Vectors<Row::from> in;
        Vectors<Row::to> out;
        unrolled<Row::from>([&](auto j) { in[j] = half[row * Row::from + j]; });
        Row::apply(in, out);
        unrolled<Row::to>([&](auto j) { transformed[row * Row::to + j] = out[j]; });
    });
}

}  // namespace convoy::onednn::winograd
