#include "data/drawn_landcover.hpp"

#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "base/random.hpp"

namespace convoy {
namespace {

constexpr std::size_t cover_classes = drawn_landcover_classes;
constexpr std::size_t bands = 144, features = 21, patch_side = 7;
constexpr std::size_t patch = features * patch_side * patch_side;

/// Layers of the random numbers: the pixels of each split are layers 0 and 1, and so on.
enum Layer : std::uint32_t { layer_pixels = 0, layer_order = 2, layer_classes = 4 };

/// Elements of a pixel's random numbers: each use has a range of its own.
enum PixelElement : std::uint32_t { pixel_style_at = 0, pixel_bands_at = 64, pixel_lidar_at = 1024 };

/// What pixels of one class have in common.
struct Cover {
    std::array<double, bands> reflectance;
    std::array<double, features> heights;
};

Cover cover_of(const RandomStream& random, std::uint32_t number) {
    std::uint32_t element = 0;
    const auto between = [&](double low, double high) {
        return low + (high - low) * random.uniform(number, element++);
    };
    Cover cover{};
    cover.reflectance.fill(between(0.1, 0.3));
    for (int bump = 0; bump < 3; ++bump) {
        const auto middle = between(0.0, bands), width = between(8.0, 30.0), height = between(0.1, 0.4);
        for (std::size_t band = 0; band < bands; ++band) {
            const auto distance = (static_cast<double>(band) - middle) / width;
            cover.reflectance[band] += height * std::exp(-0.5 * distance * distance);
        }
    }
    for (auto& height : cover.heights) height = between(0.0, 1.0);
    return cover;
}

/// Draws its pixels when they are read.
class DrawnPixels final : public ExampleValues {
  public:
    DrawnPixels(std::uint64_t seed, LandcoverSplit split, std::vector<std::int32_t> labels)
        : random_(seed, RandomPurpose::landcover, layer_pixels + static_cast<std::uint32_t>(split)),
          labels_(std::move(labels)) {
        const RandomStream of_classes(seed, RandomPurpose::landcover, layer_classes);
        for (std::uint32_t number = 0; number < cover_classes; ++number)
            covers_[number] = cover_of(of_classes, number);
    }

    void read(std::uint32_t example, std::span<float> into) const override {
        std::uint32_t element = pixel_style_at;
        const auto between = [&](double low, double high) {
            return low + (high - low) * random_.uniform(example, element++);
        };
        const auto brightness = between(0.7, 1.3), share = between(0.0, 0.45);
        const auto slope_x = between(-0.05, 0.05), slope_y = between(-0.05, 0.05);
        const auto& own = covers_.at(static_cast<std::size_t>(labels_.at(example)));
        const auto& other =
            covers_.at(random_.below(static_cast<std::uint32_t>(cover_classes), example, element++));
        const auto mixed = [&](double of_own, double of_other) {
            return (1.0 - share) * of_own + share * of_other;
        };
        const auto noise = [&](std::uint32_t of, double most) {
            return most * (2.0 * random_.uniform(example, of) - 1.0);
        };
        for (std::size_t band = 0; band < bands; ++band) {
            const auto value = brightness * mixed(own.reflectance[band], other.reflectance[band]);
            into[band] =
                static_cast<float>(value + noise(pixel_bands_at + static_cast<std::uint32_t>(band), 0.08));
        }
        for (std::size_t i = 0; i < patch; ++i) {
            const auto feature = i / (patch_side * patch_side), row = i / patch_side % patch_side,
                       column = i % patch_side;
            const auto tilt =
                slope_y * (static_cast<double>(row) - 3.0) + slope_x * (static_cast<double>(column) - 3.0);
            const auto value = mixed(own.heights[feature], other.heights[feature]) + tilt;
            into[bands + i] =
                static_cast<float>(value + noise(pixel_lidar_at + static_cast<std::uint32_t>(i), 0.4));
        }
    }

  private:
    RandomStream random_;
    std::vector<std::int32_t> labels_;
    std::array<Cover, cover_classes> covers_{};
};

/// Each class once in every fifteen pixels, in random order.
std::vector<std::int32_t> labels_of(std::uint64_t seed, LandcoverSplit split, std::int64_t count) {
    const RandomStream random(seed, RandomPurpose::landcover,
                              layer_order + static_cast<std::uint32_t>(split));
    std::vector<std::int32_t> labels(static_cast<std::size_t>(count));
    std::array<std::int32_t, cover_classes> order{};
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (i % cover_classes == 0) {
            std::iota(order.begin(), order.end(), 0);
            for (std::uint32_t k = cover_classes - 1; k > 0; --k)
                std::swap(order.at(k),
                          order.at(random.below(k + 1, static_cast<std::uint32_t>(i / cover_classes), k)));
        }
        labels[i] = order.at(i % cover_classes);
    }
    return labels;
}

}  // namespace

ExampleShape drawn_landcover_shape() {
    return ExampleShape(std::vector<Input>{
        {"hyperspectral", {1, 1, std::int64_t{bands}}},
        {"lidar", {std::int64_t{features}, std::int64_t{patch_side}, std::int64_t{patch_side}}}});
}

Dataset drawn_landcover(std::uint64_t seed, LandcoverSplit split, std::int64_t count, bool cache,
                        const DataWanted& wanted) {
    auto labels = labels_of(seed, split, count);
    std::shared_ptr<const ExampleValues> values;
    if (wanted.values) values = std::make_shared<DrawnPixels>(seed, split, labels);
    const auto drawn =
        wanted.labels
            ? Dataset(drawn_landcover_shape(), drawn_landcover_classes, std::move(labels), std::move(values))
            : Dataset::unlabelled(drawn_landcover_shape(), drawn_landcover_classes, count, std::move(values));
    return drawn.prepared(cache ? Prepare::ahead : Prepare::each_time, PreparedStore::memory);
}

}  // namespace convoy
