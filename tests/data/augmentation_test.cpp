#include "data/augmentation.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <set>

using namespace convoy;

namespace {

const Shape varied_image{2, 3, 4};

/// Values that tell channel, row and column: 100 c + 10 y + x.
std::vector<float> numbered() {
    std::vector<float> values;
    for (int c = 0; c < 2; ++c) {
        for (int y = 0; y < 3; ++y) {
            for (int x = 0; x < 4; ++x) values.push_back(static_cast<float>(100 * c + 10 * y + x));
        }
    }
    return values;
}

std::vector<float> varied(const AugmentationSpec& spec, std::uint32_t epoch, std::uint32_t example) {
    auto values = numbered();
    Augmentation(spec, 7, varied_image).apply(epoch, example, values);
    return values;
}

}  // namespace

TEST_CASE("an image is left alone unless the spec says otherwise") {
    CHECK(varied({}, 3, 5) == numbered());
}

TEST_CASE("half of the images are mirrored, channel by channel") {
    int mirrored = 0;
    for (std::uint32_t example = 0; example < 1000; ++example) {
        const auto found = varied({.shift = 0, .flip = true}, 0, example);
        if (found == numbered()) continue;
        ++mirrored;
        CHECK(std::vector(found.begin(), found.begin() + 4) == std::vector<float>{3, 2, 1, 0});
        CHECK(std::vector(found.end() - 4, found.end()) == std::vector<float>{123, 122, 121, 120});
    }
    CHECK(mirrored > 430);
    CHECK(mirrored < 570);
}

TEST_CASE("an image moves by up to shift pixels each way, and its border fills in") {
    std::set<std::vector<float>> found;
    for (std::uint32_t example = 0; example < 300; ++example)
        found.insert(varied({.shift = 1, .flip = false}, 0, example));
    CHECK(found.size() == 9);
    CHECK(found.contains(numbered()));
    const std::vector<float> down_and_right{0,   0,   1,   2,   0,   0,   1,   2,   10,  10,  11,  12,
                                            100, 100, 101, 102, 100, 100, 101, 102, 110, 110, 111, 112};
    CHECK(found.contains(down_and_right));
}

TEST_CASE("images of one example are varied alike, and a row beside them is left alone") {
    const ExampleShape shape(
        std::vector<Input>{{"a", varied_image}, {"b", varied_image}, {"row", {1, 1, 4}}});
    const AugmentationSpec spec{.shift = 2, .flip = true};
    for (std::uint32_t example = 0; example < 50; ++example) {
        auto values = numbered();
        const auto once = values;
        values.insert(values.end(), once.begin(), once.end());
        values.insert(values.end(), {1, 2, 3, 4});
        Augmentation(spec, 7, shape).apply(3, example, values);
        const auto alone = varied(spec, 3, example);
        const std::span<const float> found(values);
        CHECK(std::ranges::equal(found.first(alone.size()), alone));
        CHECK(std::ranges::equal(found.subspan(alone.size(), alone.size()), alone));
        CHECK(std::ranges::equal(found.last(4), std::vector<float>{1, 2, 3, 4}));
    }
}

TEST_CASE("an image is varied anew in every epoch, and alike whenever it is asked for") {
    const AugmentationSpec spec{.shift = 3, .flip = true};
    std::set<std::vector<float>> found;
    for (std::uint32_t epoch = 0; epoch < 20; ++epoch) {
        CHECK(varied(spec, epoch, 5) == varied(spec, epoch, 5));
        found.insert(varied(spec, epoch, 5));
    }
    CHECK(found.size() > 5);
}
