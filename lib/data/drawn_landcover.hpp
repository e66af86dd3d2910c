#pragma once

#include <cstdint>
#include <string_view>

#include "data/dataset.hpp"

namespace convoy {

/// Pixels of land cover that convoy draws, in the shapes of the scene of Houston (IEEE GRSS data fusion
/// contest 2013): a spectrum of 144 bands (`hyperspectral`, 1x1x144) and patches of 21 features of LiDAR
/// around the pixel
/// (`lidar`, 21x7x7). Each of 15 classes has a reflectance of three bumps and a height for each feature; a
/// pixel has a brightness, an amount of another class, a slope and noise of its own. They stand in for real
/// data where speed and bytes are measured; they say nothing of the accuracy on a real scene.
inline constexpr std::string_view drawn_landcover_dataset = "drawn_landcover";
constexpr std::int64_t drawn_landcover_classes = 15;
ExampleShape drawn_landcover_shape();

/// Pixels for training and for tests share their classes, but no other random numbers.
enum class LandcoverSplit : std::uint32_t { train = 0, test = 1 };

/// The first `count` pixels. Fifteen of them from a multiple of fifteen have each class once. cache: they are
/// drawn now and kept as floats; otherwise they are drawn each time they are read. wanted: parts that are not
/// wanted are not drawn.
Dataset drawn_landcover(std::uint64_t seed, LandcoverSplit split, std::int64_t count, bool cache,
                        const DataWanted& wanted = {});

}  // namespace convoy
