#pragma once

#include <array>
#include <cstdint>

#include "data/dataset.hpp"

namespace convoy {

/// Digits that convoy draws itself: the strokes of each digit under a random affine map and a smooth elastic
/// distortion, with a pen of random width and ink, and noise. 1x28x28 bytes, ten classes. After the
/// distortions of Simard, Steinkraus, Platt: "Best practices for convolutional neural networks", ICDAR 2003,
/// applied to strokes, not to pixels.
constexpr std::int64_t synthetic_side = 28;
constexpr std::int64_t synthetic_classes = 10;
constexpr std::int64_t most_synthetic_digits = 10'000'000;
using SyntheticImage = std::array<std::uint8_t, synthetic_side * synthetic_side>;

/// Training and test digits never share their random numbers.
enum class SyntheticSplit : std::uint32_t { train = 0, test = 1 };

/// The class of one example. Any ten examples from a multiple of ten on hold each class once, in random
/// order.
std::int32_t synthetic_label(std::uint64_t seed, SyntheticSplit split, std::uint32_t example);

/// The picture of one example, a pure function of its arguments: 0 is paper, 255 ink, row by row.
SyntheticImage synthetic_image(std::uint64_t seed, SyntheticSplit split, std::uint32_t example);

/// The first count examples. cache: drawn now and kept as bytes; otherwise drawn each time they are read.
Dataset synthetic_digits(std::uint64_t seed, SyntheticSplit split, std::int64_t count, bool cache);

}  // namespace convoy
