#include "sweep/sweep_axes.hpp"

#include <catch2/catch.hpp>

using namespace convoy;

namespace {

/// Rows of all combinations of two values, given as "1|ring" by field.
SweepRows sweep_over(std::vector<std::string> fields, const std::vector<std::vector<std::string>>& rows) {
    SweepRows sweep{.fields = std::move(fields), .rows = {}};
    for (const auto& settings : rows) sweep.rows.push_back({.settings = settings});
    return sweep;
}

std::vector<std::string> names(const SweepAxes& axes) {
    std::vector<std::string> found{axes.x ? axes.x->name : "", axes.colour ? axes.colour->name : ""};
    for (const auto& panel : axes.panels) found.push_back(panel.name);
    return found;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("x is nodes, else the batch size, else another number, and names are colours") {
    const auto axes_of = [](const std::vector<std::string>& fields, const std::vector<std::string>& a,
                            const std::vector<std::string>& b) {
        return names(choose_axes(factors_of(sweep_over(fields, {a, b}))));
    };
    CHECK(axes_of({"batch_size", "nodes", "strategy"}, {"32", "1", "ring"}, {"64", "2", "local"}) ==
          Names{"nodes", "strategy", "batch_size"});
    CHECK(axes_of({"batch_size", "model", "strategy"}, {"32", "a", "ring"}, {"64", "b", "local"}) ==
          Names{"batch_size", "model", "strategy"});
    CHECK(axes_of({"input_pipeline.prefetch", "seed"}, {"0", "1"}, {"2", "2"}) ==
          Names{"input_pipeline.prefetch", "seed"});
    CHECK(axes_of({"batch_size", "nodes"}, {"32", "1"}, {"64", "2"}) == Names{"nodes", "batch_size"});
    CHECK(axes_of({"nodes", "strategy"}, {"[{}]", "ring"}, {"2", "local"}) == Names{"", "nodes", "strategy"});
    CHECK(axes_of({"model"}, {"a"}, {"b"}) == Names{"", "model"});
}

TEST_CASE("fields with one value are no factors, and a sweep may have none") {
    const auto axes = choose_axes(factors_of(
        sweep_over({"batch_size", "nodes", "strategy"}, {{"32", "4", "ring"}, {"64", "4", "ring"}})));
    CHECK(names(axes) == Names{"batch_size", ""});
    CHECK(names(choose_axes(factors_of(sweep_over({}, {{}, {}})))) == Names{"", ""});
}

TEST_CASE("numbers are in ascending order, names in that of the rows") {
    const auto factors = factors_of(
        sweep_over({"nodes", "strategy"}, {{"16", "ring"}, {"2", "local"}, {"4", "ring"}, {"2", "ring"}}));
    CHECK(factors[0].numbers == std::vector<double>{2, 4, 16});
    CHECK(factors[0].labels == Names{"2 nodes", "4 nodes", "16 nodes"});
    CHECK(factors[1].values == Names{"ring", "local"});
    const SweepRow row{.settings = {"4", "local"}};
    CHECK(levels_of(factors, row) == std::vector<std::size_t>{1, 1});
    CHECK(levels_label(factors, {1, 0}) == "4 nodes, ring");
}

TEST_CASE("a word of a field in an object is named with its field") {
    const auto factors = factors_of(
        sweep_over({"strategy.overlap", "strategy.wire_type"}, {{"true", "float16"}, {"false", "float32"}}));
    CHECK(levels_label(factors, {1, 0}) == "no overlap, wire type float16");
    CHECK(levels_label({}, {}).empty());
}
