#include "data/augmentation.hpp"

#include <algorithm>

#include "base/random.hpp"

namespace convoy {
namespace {

/// What the random numbers of one image are for.
enum Draw : std::uint32_t { rows = 0, columns = 1, mirror = 2 };

/// Where an image goes.
struct Move {
    std::int64_t down = 0, right = 0;  ///< pixels
    bool mirrored = false;             ///< before it is moved
};

/// into: C,H,W, as original is. What an image leaves free is filled with its border.
void write_moved(const Shape& shape, const Move& by, std::span<const float> original, std::span<float> into) {
    const auto height = shape[1];
    const auto width = shape[2];
    auto out = into.begin();
    for (std::int64_t channel = 0; channel < shape[0]; ++channel) {
        for (std::int64_t y = 0; y < height; ++y) {
            const auto row = std::clamp<std::int64_t>(y - by.down, 0, height - 1);
            for (std::int64_t x = 0; x < width; ++x) {
                const auto column =
                    std::clamp<std::int64_t>((by.mirrored ? width - 1 - x : x) - by.right, 0, width - 1);
                *out++ = original[static_cast<std::size_t>((channel * height + row) * width + column)];
            }
        }
    }
}

}  // namespace

Augmentation::Augmentation(const AugmentationSpec& spec, std::uint64_t seed, const ExampleShape& shape)
    : spec_(spec), seed_(seed) {
    if (spec == AugmentationSpec{}) return;
    std::size_t first = 0;
    for (const auto& input : shape.inputs()) {
        const auto elements = static_cast<std::size_t>(input.shape.elements());
        if (shape.inputs().size() == 1 || input.shape[1] > 1) {
            images_.push_back({first, input.shape});
            original_.resize(std::max(original_.size(), elements));
        }
        first += elements;
    }
}

void Augmentation::apply(std::uint32_t epoch, std::uint32_t example, std::span<float> values) {
    if (images_.empty()) return;
    const RandomStream random(seed_, RandomPurpose::augmentation, 0, epoch);
    const auto shift = [&](Draw draw) {
        const auto choices = static_cast<std::uint32_t>(2 * spec_.shift + 1);
        return static_cast<std::int64_t>(random.below(choices, example, draw)) - spec_.shift;
    };
    const Move by{.down = shift(rows),
                  .right = shift(columns),
                  .mirrored = spec_.flip && random.below(2, example, mirror) == 1};
    for (const auto& [first, shape] : images_) {
        const auto image = values.subspan(first, static_cast<std::size_t>(shape.elements()));
        std::ranges::copy(image, original_.begin());
        write_moved(shape, by, original_, image);
    }
}

}  // namespace convoy
