#include "tensor/example_shape.hpp"

#include <catch2/catch.hpp>

using namespace convoy;

TEST_CASE("an example is one image without a name, or inputs with names") {
    const ExampleShape image{3, 4, 5};
    CHECK(image == Shape{3, 4, 5});
    CHECK_FALSE(image.named());
    CHECK(image.elements() == 60);
    CHECK(image.text() == "3x4x5");
    CHECK(image.image() == Shape{3, 4, 5});
    CHECK(image == ExampleShape(std::vector<Input>{{"images", {3, 4, 5}}}));

    const ExampleShape two(std::vector<Input>{{"magnitudes", {1, 1, 5}}, {"patch", {3, 4, 5}}});
    CHECK(two.named());
    CHECK(two.elements() == 65);
    CHECK(two.text() == "magnitudes 1x1x5, patch 3x4x5");
    CHECK_FALSE(two == image);
    CHECK(ExampleShape(std::vector<Input>{{"patch", {3, 4, 5}}}).named());

    CHECK(ExampleShape{}.elements() == 0);
    CHECK_THROWS_AS(ExampleShape{}.image(), std::out_of_range);
}
