#include "report/json_facts.hpp"

#include <catch2/catch.hpp>

using namespace convoy;

namespace {

std::vector<std::string> names(const Table& facts) {
    std::vector<std::string> all;
    for (const auto& column : facts.columns) all.push_back(column.name);
    return all;
}

using Names = std::vector<std::string>;
using Cells = std::vector<Cell>;

}  // namespace

TEST_CASE("JSON becomes one line per value") {
    const auto facts = facts_of_json(
        "Environment",
        R"({"cpu": {"model": "<fast>", "flags": ["avx", "fma"]}, "nodes": [{"rank": 0}], "gone": null})");
    CHECK(names(facts) == Names{"cpu_flags", "cpu_model", "gone", "nodes_0_rank"});
    CHECK(facts.rows.at(0) == Cells{"avx, fma", "<fast>", "null", "0"});
}

TEST_CASE("elements that are alike share lines") {
    const auto facts = facts_of_json("Environment", R"({"nodes": [{"host": "a", "pid": 7, "rank": 0},
        {"host": "b", "pid": 8, "rank": 1}, {"host": "a", "pid": 9, "rank": 2}, {"host": "a", "pid": 10, "rank": 3}]})");
    CHECK(names(facts) == Names{"nodes_0, 2 to 3_host", "nodes_0, 2 to 3_pid", "nodes_0, 2 to 3_rank",
                                "nodes_1_host", "nodes_1_pid", "nodes_1_rank"});
    CHECK(facts.rows.at(0) == Cells{"a", "7, 9, 10", "0, 2, 3", "b", "8", "1"});
}

TEST_CASE("odd JSON becomes lines too") {
    CHECK(names(facts_of_json("t", R"({"a": [[1, 2], [1, 2]], "b": [{"rank": 1}, {}], "c": [], "d": {}})")) ==
          Names{"a_0 to 1", "b_0 to 1_rank", "c"});
    CHECK(facts_of_json("t", "{").columns.size() == 1);
}
