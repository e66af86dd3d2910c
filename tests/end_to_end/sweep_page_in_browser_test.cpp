#include <catch2/catch.hpp>

#include "base/temporary_folder.hpp"
#include "chromium.hpp"
#include "sweep/sweep_page.hpp"

using namespace convoy;
using namespace convoy::test;
using nlohmann::json;

namespace {

/// Nine strategies whose names are too long for the ends of lines.
json long_strategies() {
    auto strategies = json::array();
    for (const int bucket : {1, 2, 3})
        for (const auto* wire : {"float32", "float16", "bfloat16"})
            strategies.push_back({{"name", "ring_allreduce"},
                                  {"algorithm", "recursive_doubling"},
                                  {"wire_type", wire},
                                  {"overlap", bucket != 2},
                                  {"bucket_bytes", bucket * 65536}});
    return strategies;
}

Sweep sweep_over(const json& grid) {
    const json content{{"name", "nine"},
                       {"base",
                        {{"dataset", {{"name", "synthetic_digits"}, {"train_examples", 960}}},
                         {"model", "lenet5"},
                         {"nodes", 2},
                         {"batch_size", 96}}},
                       {"grid", grid},
                       {"repeats", 2}};
    const TemporaryFolder folder;
    return load_sweep(folder.write("sweep.json", content.dump()));
}

/// Results as of runs that are done, each third of them noisy.
std::vector<SweepEntry> made_up_entries(const Sweep& sweep) {
    std::vector<SweepEntry> entries;
    for (std::size_t i = 0; i < sweep.runs.size(); ++i) {
        const double speed = 1000.0 + 37.0 * static_cast<double>(i * i % 301);
        entries.push_back({.state = RunState::done,
                           .error = "",
                           .code = 0,
                           .summary = {{"examples_per_second", {{"mean", speed}}},
                                       {"step_us", {{"p50", 1e8 / speed}, {"p99", 2e8 / speed}}},
                                       {"phases_s", {{"train", 1234.5}, {"total", 2345.6}}},
                                       {"communication",
                                        {{"exposed_us", 123456.7},
                                         {"skew_us", 1234.5},
                                         {"bytes_sent_per_node", {12345678, 1e3 * speed}}}},
                                       {"memory", {{"peak_resident_bytes_per_node", {1e5 * speed}}}},
                                       {"final", {{"test_accuracy", 1.0 - 100.0 / speed}}},
                                       {"measurement", {{"verdict", i % 3 == 0 ? "noisy" : "quiet"}}}}});
    }
    return entries;
}

void check_sweep_page(const json& grid, int least_figures) {
    const auto sweep = sweep_over(grid);
    const TemporaryFolder folder;
    const auto page = folder.write("report.html", sweep_page(sweep, made_up_entries(sweep)));
    for (const int width : {1280, 768, 390}) {
        const auto rendering = render_page(page, width);
        INFO(grid.dump() << " at " << width << " pixels");
        CHECK(rendering.page_width <= width);
        CHECK(rendering.requests == 0);
        CHECK(rendering.references == 0);
        // The runs' table is cut into parts, each with the links.
        CHECK(rendering.links >= static_cast<int>(sweep.runs.size()));
        CHECK(rendering.console.empty());
        CHECK(rendering.figures == least_figures);
        CHECK(rendering.smallest_text >= 9.0);
        CHECK(rendering.cut_off == "");
        CHECK(rendering.overlap == "");
    }
}

}  // namespace

TEST_CASE("a sweep's page with nine long names loses none at 1280, 768 and 390 pixels") {
    check_sweep_page({{"nodes", {1, 2, 4}}, {"strategy", long_strategies()}}, 4);
}

TEST_CASE("a sweep's page with a third factor and one without numbers can be read at any width") {
    check_sweep_page(
        {{"nodes", {1, 2, 4, 8}}, {"batch_size", {96, 192}}, {"strategy.overlap", {true, false}}}, 6);
    check_sweep_page({{"strategy", long_strategies()}, {"optimizer", {"adam", "sgd"}}}, 5);
}
