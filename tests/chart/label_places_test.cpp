#include "chart/label_places.hpp"

#include <catch2/catch.hpp>

using namespace convoy;

namespace {

using Places = std::vector<double>;

Places placed(Places wanted, double low = 0.0, double high = 100.0) {
    return label_places(wanted, 10.0, low, high);
}

}  // namespace

TEST_CASE("labels with room stay where they are wanted") {
    CHECK(placed({50, 20, 35}) == Places{50, 20, 35});
    CHECK(placed({}).empty());
}

TEST_CASE("labels that would overlap share the way") {
    CHECK(placed({50, 50}) == Places{45, 55});
    CHECK(placed({52, 50, 20}) == Places{56, 46, 20});
    // The group moves together when a neighbour joins it.
    CHECK(placed({50, 50, 59}) == Places{43, 53, 63});
}

TEST_CASE("labels stay within the ends") {
    CHECK(placed({2, 0}) == Places{10, 0});
    CHECK(placed({99, 100}) == Places{90, 100});
    CHECK(placed({0, 0, 0, 99, 99}) == Places{0, 10, 20, 90, 100});
    // Without room for all they still do not overlap.
    CHECK(placed({5, 5, 5}, 0.0, 10.0) == Places{0, 10, 20});
}
