#include <catch2/catch.hpp>

#include "chromium.hpp"
#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

namespace {

/// The least height at which a text can be read without effort.
constexpr double readable = 9.0;

void check_page(const std::filesystem::path& file, int least_figures) {
    for (const int width : {1280, 400}) {
        const auto rendering = render_page(file, width);
        INFO(file.string() << " at " << width << " pixels");
        CHECK(rendering.page_width <= width);
        CHECK(rendering.requests == 0);
        CHECK(rendering.references == 0);
        CHECK(rendering.console.empty());
        CHECK(rendering.figures >= least_figures);
        CHECK(rendering.smallest_text >= (least_figures > 0 ? readable : 0.0));
        CHECK(rendering.cut_off == "");
    }
}

}  // namespace

TEST_CASE("a run's report.html can be read at 1280 and at 400 pixels, and asks for nothing") {
    const TemporaryFolder folder;
    const auto run = run_spec(folder, small_spec(), "out");
    check_page(run / "report.html", 5);  // traffic as a rate takes a run of some samples
}

TEST_CASE("the check of pages finds what is wrong with one") {
    const TemporaryFolder folder;
    const auto page = folder.write(
        "page.html", R"(<!DOCTYPE html><img src="http://127.0.0.1:9/x.png"><link rel="help" href="other.html">
<p style="width: 500px">wide</p><svg viewBox="0 0 100 50" width="100"><text x="80" y="20" font-size="6">reaches out of it</text></svg>
<script>console.error("said by the page"); undefined_function();</script>)");
    const auto rendering = render_page(page, 400);
    CHECK(rendering.page_width > 400);
    CHECK(rendering.requests == 1);
    CHECK(rendering.references == 2);
    CHECK(rendering.figures == 1);
    CHECK(rendering.smallest_text < readable);
    CHECK(rendering.cut_off == "reaches out of it");
    CHECK_THAT(rendering.console, Contains("said by the page") && Contains("undefined_function"));
}
