#include "nn/window.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace convoy;

namespace {

std::optional<WindowAttributes> square_window(const Shape& input, std::int64_t size, std::int64_t stride,
                                              Padding padding) {
    return place_window(input, Extents{size, size}, Extents{stride, stride}, padding);
}

}  // namespace

TEST_CASE("the example of TensorFlow's documentation: width 13, window 6, stride 5") {
    const Shape input{1, 13, 13};
    const auto valid = square_window(input, 6, 5, Padding::valid).value();
    CHECK(window_output(input, valid, 7) == Shape{7, 2, 2});
    CHECK(valid.padding_before == std::array<std::int64_t, 2>{0, 0});
    CHECK(valid.padding_after == std::array<std::int64_t, 2>{0, 0});
    const auto same = square_window(input, 6, 5, Padding::same).value();
    CHECK(window_output(input, same, 7) == Shape{7, 3, 3});
    CHECK(same.padding_before == std::array<std::int64_t, 2>{1, 1});
    CHECK(same.padding_after == std::array<std::int64_t, 2>{2, 2});
}

TEST_CASE("windows follow TensorFlow's rules for every size and stride") {
    for (std::int64_t extent = 1; extent <= 12; ++extent) {
        for (std::int64_t size = 1; size <= 5; ++size) {
            for (std::int64_t stride = 1; stride <= 6; ++stride) {
                INFO("extent " << extent << ", size " << size << ", stride " << stride);
                const Shape input{3, extent, 12};
                // As TensorFlow writes them: by the remainder of the extent, not by the count of results.
                const auto rest = extent % stride;
                const auto padding = std::max<std::int64_t>(rest == 0 ? size - stride : size - rest, 0);
                const auto same = square_window(input, size, stride, Padding::same).value();
                CHECK(same.padding_before[0] == padding / 2);
                CHECK(same.padding_after[0] == padding - padding / 2);
                CHECK(window_output(input, same, 3)[1] == extent / stride + (rest == 0 ? 0 : 1));

                const auto valid = square_window(input, size, stride, Padding::valid);
                CHECK(valid.has_value() == (size <= extent));
                if (!valid) continue;
                std::int64_t places = 0;
                for (std::int64_t start = 0; start + size <= extent; start += stride) ++places;
                CHECK(window_output(input, *valid, 3)[1] == places);
            }
        }
    }
}

TEST_CASE("a window may have other rows than columns") {
    const Shape input{2, 1, 10};
    const auto same = place_window(input, Extents{1, 4}, Extents{1, 3}, Padding::same).value();
    CHECK(same.size == Extents{1, 4});
    CHECK(same.stride == Extents{1, 3});
    CHECK(same.padding_before == Extents{0, 1});
    CHECK(same.padding_after == Extents{0, 2});
    CHECK(window_output(input, same, 5) == Shape{5, 1, 4});
    const auto valid = place_window(input, Extents{1, 4}, Extents{1, 3}, Padding::valid).value();
    CHECK(window_output(input, valid, 5) == Shape{5, 1, 3});
    CHECK_FALSE(place_window(input, Extents{1, 11}, Extents{1, 1}, Padding::valid).has_value());
}

TEST_CASE("rows and columns are placed apart") {
    const Shape input{2, 4, 9};
    const auto window = square_window(input, 3, 2, Padding::same).value();
    CHECK(window.padding_before == std::array<std::int64_t, 2>{0, 1});
    CHECK(window.padding_after == std::array<std::int64_t, 2>{1, 1});
    CHECK(window_output(input, window, 2) == Shape{2, 2, 5});
    CHECK_FALSE(square_window(input, 5, 1, Padding::valid).has_value());
}
