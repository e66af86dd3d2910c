#include "tensor/tensor_slice.hpp"

#include <catch2/catch.hpp>
#include <numeric>

#include "base/error.hpp"

using namespace convoy;

namespace {

std::vector<float> counted(const Shape& shape) {
    std::vector<float> values(static_cast<std::size_t>(shape.elements()));
    std::iota(values.begin(), values.end(), 0.0F);
    return values;
}

}  // namespace

TEST_CASE("a slice has some places of one axis, and all of the others") {
    const Shape shape{3, 2, 2};
    CHECK(cut_slice(counted(shape), {.axis = 0, .first = 1, .count = 2}, shape) ==
          std::vector<float>{4, 5, 6, 7, 8, 9, 10, 11});
    CHECK(cut_slice(counted(shape), {.axis = 1, .first = 1, .count = 1}, shape) ==
          std::vector<float>{2, 3, 6, 7, 10, 11});
    CHECK(cut_slice(counted(shape), {.axis = 2, .first = 0, .count = 1}, shape) ==
          std::vector<float>{0, 2, 4, 6, 8, 10});
    CHECK(slice_shape({.axis = 1, .first = 1, .count = 1}, shape) == Shape{3, 1, 2});
}

TEST_CASE("the whole is a slice, also of a tensor without axes") {
    const Shape shape{3, 2};
    CHECK(is_whole(whole_slice(shape), shape));
    CHECK(is_whole({.axis = 1, .first = 0, .count = 2}, shape));
    CHECK_FALSE(is_whole({.axis = 1, .first = 1, .count = 1}, shape));
    CHECK(cut_slice(counted(shape), whole_slice(shape), shape) == counted(shape));
    const Shape empty{0, 3};
    CHECK(is_whole(whole_slice(empty), empty));
    CHECK(cut_slice(counted(empty), whole_slice(empty), empty).empty());
    const Shape scalar;
    CHECK(is_whole(whole_slice(scalar), scalar));
    CHECK(cut_slice(std::vector<float>{7.0F}, whole_slice(scalar), scalar) == std::vector<float>{7.0F});
}

TEST_CASE("a slice that its tensor does not have is a bug") {
    const Shape shape{3, 2};
    for (const TensorSlice& slice : {TensorSlice{.axis = 2, .first = 0, .count = 1},
                                     {.axis = 0, .first = 2, .count = 2},
                                     {.axis = 0, .first = -1, .count = 1},
                                     {.axis = 0, .first = 0, .count = 0}}) {
        CHECK_FALSE(fits(slice, shape));
        CHECK_THROWS_AS(slice_shape(slice, shape), InternalError);
        CHECK_THROWS_AS(slice_runs(slice, shape), InternalError);
    }
    CHECK_THROWS_AS(cut_slice(std::vector<float>(5), whole_slice(shape), shape), InternalError);
}
