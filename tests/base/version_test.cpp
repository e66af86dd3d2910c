#include "base/version.hpp"

#include <catch2/catch.hpp>

TEST_CASE("the version is that of the CMake project") {
    CHECK(convoy::version() == CONVOY_PROJECT_VERSION);
}
