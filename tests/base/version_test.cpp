#include "base/version.hpp"

#include <catch2/catch.hpp>
#include <regex>
#include <string>

#include "base/files.hpp"

TEST_CASE("the version is that of the CMake project") {
    CHECK(convoy::version() == CONVOY_PROJECT_VERSION);
}

TEST_CASE("the files by which the version is published name it") {
    const auto version = std::string(convoy::version());
    CHECK_THAT(convoy::read_text(CONVOY_SOURCE "/CITATION.cff"),
               Catch::Matchers::Contains("\nversion: " + version + "\n"));
    CHECK_THAT(convoy::read_text(CONVOY_SOURCE "/CHANGELOG.md"),
               Catch::Matchers::Contains("\n## " + version + " ("));
}

TEST_CASE("programs of one run compare version, commit and build options") {
    const auto commit = std::string(convoy::commit());
    CHECK(std::regex_match(commit, std::regex("unknown|[0-9a-f]{12}(-dirty-[0-9a-f]{8})?")));
    CHECK(convoy::version_text() == CONVOY_PROJECT_VERSION " (" + commit + ")");
    CHECK_FALSE(convoy::build_options().empty());
    CHECK(convoy::build_text() ==
          CONVOY_PROJECT_VERSION " (" + commit + "; " + std::string(convoy::build_options()) + ")");
}
