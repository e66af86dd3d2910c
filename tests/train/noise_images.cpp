#include "train/noise_images.hpp"

#include <fmt/format.h>

#include <string>

#include "base/random.hpp"
#include "data/npy_files.hpp"

namespace convoy::test {
namespace {

constexpr std::uint32_t pixels = 28 * 28, colour_values = 3 * 32 * 32, curve_length = 40;

std::string random_bytes(const RandomStream& random, std::int64_t examples, std::uint32_t each,
                         std::uint32_t below) {
    std::string bytes;
    for (std::int64_t i = 0; i < examples; ++i)
        for (std::uint32_t k = 0; k < each; ++k)
            bytes.push_back(static_cast<char>(random.below(below, static_cast<std::uint32_t>(i), k)));
    return bytes;
}

}  // namespace

NoiseImages::NoiseImages(std::int64_t train, std::int64_t test) {
    std::uint32_t layer = 0;
    for (const auto& [prefix, examples] : {std::pair{"", train}, std::pair{"test_", test}}) {
        const RandomStream images(1, RandomPurpose::shuffle, layer++);
        const RandomStream labels(1, RandomPurpose::shuffle, layer++);
        folder_.write(fmt::format("{}x.npy", prefix), npy_array("|u1", fmt::format("{}, 28, 28", examples),
                                                                random_bytes(images, examples, pixels, 256)));
        folder_.write(fmt::format("{}y.npy", prefix),
                      npy_array("|u1", fmt::format("{}", examples), random_bytes(labels, examples, 1, 10)));
    }
    for (const auto& [prefix, examples] : {std::pair{"", train}, std::pair{"test_", test}}) {
        const RandomStream curves(1, RandomPurpose::shuffle, layer++);
        folder_.write(fmt::format("{}curve.npy", prefix),
                      npy_array("|u1", fmt::format("{}, {}", examples, curve_length),
                                random_bytes(curves, examples, curve_length, 256)));
    }
    for (const auto& [prefix, examples] : {std::pair{"", train}, std::pair{"test_", test}}) {
        const RandomStream colours(1, RandomPurpose::shuffle, layer++);
        folder_.write(fmt::format("{}colour.npy", prefix),
                      npy_array("|u1", fmt::format("{}, 3, 32, 32", examples),
                                random_bytes(colours, examples, colour_values, 256)));
    }
}

nlohmann::json NoiseImages::dataset() {
    return {{"name", "npy"},
            {"images", "x.npy"},
            {"labels", "y.npy"},
            {"test_images", "test_x.npy"},
            {"test_labels", "test_y.npy"},
            {"classes", 10}};
}

}  // namespace convoy::test
