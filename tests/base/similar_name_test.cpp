#include "base/similar_name.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <string>

using namespace convoy;

namespace {

constexpr std::array<std::string_view, 4> names{"run", "report", "max_pool", "adam"};

}  // namespace

TEST_CASE("a mistyped word leads to the name that is meant") {
    CHECK(similar_name("rnu", names) == "run");  // two neighbours are swapped
    CHECK(similar_name("urnn", names) == std::nullopt);
    CHECK(similar_name("ran", names) == "run");
    CHECK(similar_name("repport", names) == "report");
    CHECK(similar_name("maxpool", names) == "max_pool");
    CHECK(similar_name("max-pool", names) == "max_pool");
    CHECK(similar_name("ADAM", names) == "adam");
    CHECK(similar_name("nothing", names) == std::nullopt);
    CHECK(similar_name("run", {}) == std::nullopt);
    CHECK(similar_name(std::string(100'000, 'x'), names) == std::nullopt);
}

TEST_CASE("a hint asks for the name") {
    CHECK(did_you_mean("Adam", names) == " (did you mean \"adam\"?)");
    CHECK(did_you_mean("sgd", names).empty());
}
