#include "base/version.hpp"

#include <catch2/catch.hpp>
#include <regex>
#include <string>

TEST_CASE("the version is that of the CMake project") {
    CHECK(convoy::version() == CONVOY_PROJECT_VERSION);
}

TEST_CASE("programs of one run compare version and commit") {
    const auto commit = std::string(convoy::commit());
    CHECK(std::regex_match(commit, std::regex("unknown|[0-9a-f]{12}(-dirty-[0-9a-f]{8})?")));
    CHECK(convoy::version_text() == CONVOY_PROJECT_VERSION " (" + commit + ")");
    CHECK_FALSE(convoy::build_options().empty());
}
