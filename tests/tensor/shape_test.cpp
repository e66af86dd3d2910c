#include "tensor/shape.hpp"

#include <catch2/catch.hpp>

using convoy::Shape;

TEST_CASE("a shape counts its elements and names itself") {
    const Shape image{1, 28, 28};
    CHECK(image.elements() == 784);
    CHECK(image.rank() == 3);
    CHECK(image.text() == "1x28x28");
    CHECK(image.with_batch(32) == Shape{32, 1, 28, 28});
    CHECK(Shape{}.elements() == 1);
    CHECK(Shape{}.text() == "scalar");
    CHECK(Shape{3, 0}.elements() == 0);
    CHECK_THROWS_AS(image[3], std::out_of_range);
}

TEST_CASE("a shape whose elements do not fit 64 bits has no number of them") {
    constexpr auto large = std::int64_t{1} << 32;
    CHECK_THROWS_AS((Shape{large, large}.elements()), convoy::SizeError);
    CHECK(Shape{large, large, 0}.extents().size() == 3);
}
