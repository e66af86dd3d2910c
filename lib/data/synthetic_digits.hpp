#pragma once

#include <array>
#include <cstdint>

#include "data/dataset.hpp"

namespace convoy {

/// Digits that convoy draws. The strokes of a digit are changed by a random affine map and a smooth elastic
/// distortion, drawn with a pen of random width and ink, and noise is added. An image has 1x28x28 bytes;
/// there are ten classes. The distortions are those of Simard, Steinkraus, Platt: "Best practices for
/// convolutional neural networks", ICDAR 2003, applied to strokes and not to pixels.
constexpr std::int64_t synthetic_side = 28;
constexpr std::int64_t synthetic_classes = 10;
constexpr std::int64_t most_synthetic_digits = 10'000'000;
using SyntheticImage = std::array<std::uint8_t, synthetic_side * synthetic_side>;

/// Training and test digits never share their random numbers.
enum class SyntheticSplit : std::uint32_t { train = 0, test = 1 };

/// The class of one example. Ten examples from a multiple of ten have each class once, in random order.
std::int32_t synthetic_label(std::uint64_t seed, SyntheticSplit split, std::uint32_t example);

/// The image of one example, row by row; 0 is paper, 255 is ink. It is a pure function of its arguments.
SyntheticImage synthetic_image(std::uint64_t seed, SyntheticSplit split, std::uint32_t example);

/// The first `count` examples. cache: they are drawn now and kept as bytes; otherwise they are drawn each
/// time they are read. wanted: parts that are not wanted are not drawn.
Dataset synthetic_digits(std::uint64_t seed, SyntheticSplit split, std::int64_t count, bool cache,
                         const DataWanted& wanted = {});

}  // namespace convoy
