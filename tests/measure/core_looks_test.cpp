#include "measure/core_looks.hpp"

#include <catch2/catch.hpp>

using namespace convoy;

TEST_CASE("a look at the core takes a time, of microseconds") {
    CoreLooks looks;
    const auto took = looks.newest().count();
    CHECK(took > 1.0);
    CHECK(took < 1e6);  // also under a sanitizer, on a busy machine
}

TEST_CASE("the newest look serves until it is older than the spacing") {
    CoreLooks rare(Seconds(3600.0));
    const auto first = rare.newest();
    for (int i = 0; i < 100; ++i) CHECK(rare.newest() == first);

    CoreLooks always(Seconds(0.0));
    bool differs = false;
    for (int i = 0; i < 1000 && !differs; ++i) differs = always.newest() != always.newest();
    CHECK(differs);  // the clock tells nanoseconds apart
}
