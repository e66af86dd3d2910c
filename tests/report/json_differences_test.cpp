#include "report/json_differences.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace convoy;
using nlohmann::json;
using Lines = std::vector<std::string>;

TEST_CASE("what differs is told with its place") {
    const json a{{"batch_size", 48}, {"strategy", {{"name", "local"}}}, {"seed", 1}};
    const json b{
        {"batch_size", 96}, {"strategy", {{"name", "ring_allreduce"}, {"overlap", true}}}, {"seed", 1}};
    CHECK(json_differences(a, b) == Lines{"$.batch_size: 48 in A, 96 in B",
                                          "$.strategy.name: \"local\" in A, \"ring_allreduce\" in B",
                                          "$.strategy.overlap: nothing in A, true in B"});
    CHECK(json_differences(a, a).empty());
}

TEST_CASE("null, no value and an empty list are the same") {
    const json a{{"faults", {{{"node", 1}}}}, {"target", nullptr}};
    const json b{{"faults", nullptr}};
    CHECK(json_differences(a, b) == Lines{"$.faults.0.node: 1 in A, nothing in B"});
    CHECK(json_differences(json{{"faults", json::array()}}, json::object()).empty());
    CHECK(json_differences(b, json{{"faults", 2}}) == Lines{"$.faults: null in A, 2 in B"});
}

TEST_CASE("keys that do not count are left out, and long lists end with their number") {
    constexpr std::array<std::string_view, 1> ignored{"date"};
    CHECK(json_differences(json{{"date", 1}}, json{{"date", 2}}, ignored).empty());
    json a;
    json b;
    for (int i = 0; i < 30; ++i) {
        a[std::to_string(i)] = 1;
        b[std::to_string(i)] = 2;
    }
    const auto lines = json_differences(a, b);
    CHECK(lines.size() == 21);
    CHECK(lines.back() == "and 10 more");
}
