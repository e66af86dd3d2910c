#include "data/augmentation.hpp"

#include <algorithm>

#include "base/random.hpp"

namespace convoy {
namespace {

/// What the random numbers of one image are for.
enum Draw : std::uint32_t { rows = 0, columns = 1, mirror = 2 };

}  // namespace

Augmentation::Augmentation(const AugmentationSpec& spec, std::uint64_t seed, const Shape& image)
    : spec_(spec), seed_(seed), shape_(image) {
    if (spec != AugmentationSpec{}) original_.resize(static_cast<std::size_t>(image.elements()));
}

void Augmentation::apply(std::uint32_t epoch, std::uint32_t example, std::span<float> image) {
    if (original_.empty()) return;
    const RandomStream random(seed_, RandomPurpose::augmentation, 0, epoch);
    const auto shift = [&](Draw draw) {
        const auto choices = static_cast<std::uint32_t>(2 * spec_.shift + 1);
        return static_cast<std::int64_t>(random.below(choices, example, draw)) - spec_.shift;
    };
    const auto down = shift(rows);
    const auto right = shift(columns);
    const bool mirrored = spec_.flip && random.below(2, example, mirror) == 1;

    std::ranges::copy(image, original_.begin());
    const auto height = shape_[1];
    const auto width = shape_[2];
    auto out = image.begin();
    for (std::int64_t channel = 0; channel < shape_[0]; ++channel) {
        for (std::int64_t y = 0; y < height; ++y) {
            const auto row = std::clamp<std::int64_t>(y - down, 0, height - 1);
            for (std::int64_t x = 0; x < width; ++x) {
                const auto column =
                    std::clamp<std::int64_t>((mirrored ? width - 1 - x : x) - right, 0, width - 1);
                *out++ = original_[static_cast<std::size_t>((channel * height + row) * width + column)];
            }
        }
    }
}

}  // namespace convoy
