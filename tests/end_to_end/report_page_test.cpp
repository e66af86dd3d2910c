#include <array>
#include <catch2/catch.hpp>
#include <cctype>
#include <sstream>

#include "chromium.hpp"
#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

/// The least height at which a text can be read without effort.
constexpr double readable = 9.0;

Rendering check_rendering(const std::filesystem::path& file, int width, int least_figures) {
    auto rendering = render_page(file, width);
    INFO(file.string() << " at " << width << " pixels");
    CHECK(rendering.page_width <= width);
    CHECK(rendering.requests == 0);
    CHECK(rendering.references == 0);
    CHECK(rendering.console.empty());
    CHECK(rendering.figures >= least_figures);
    CHECK(rendering.smallest_text >= (least_figures > 0 ? readable : 0.0));
    CHECK(rendering.cut_off == "");
    return rendering;
}

/// The width between the margins of a sheet of A4, and of one in landscape.
constexpr std::array<int, 2> paper_widths{718, 1047};

void check_page(const std::filesystem::path& file, int least_figures) {
    for (const int width : {1280, 768, 390}) CHECK(check_rendering(file, width, least_figures).overlap == "");
    // On paper nothing scrolls: what is wider is lost. A copy of the page has the style of paper on the
    // screen.
    auto page = text_of(file);
    constexpr std::string_view on_paper = "@media print";
    const auto rules = page.find(on_paper);
    REQUIRE(rules != std::string::npos);
    page.replace(rules, on_paper.size(), "@media all");
    const TemporaryFolder folder;
    const auto copy = folder.write("paper.html", page);
    for (const int width : paper_widths) CHECK(check_rendering(copy, width, least_figures).overlap == "");
}

}  // namespace

TEST_CASE("a run's report.html can be read at 1280, 768 and 390 pixels and on paper, and asks for nothing",
          "[large]") {
    const TemporaryFolder folder;
    const auto run = run_spec(folder, small_spec(), "out");
    check_page(run / "report.html", 9);  // traffic as a rate takes a run of some samples
}

TEST_CASE("the page of many nodes and of one node can be read", "[large]") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    for (const int count : {16, 1}) {
        spec["nodes"] = nodes(count);
        spec["batch_size"] = 48;
        const auto run = run_spec(folder, spec, std::to_string(count));
        for (const int width : {390, 1280})
            CHECK(check_rendering(run / "report.html", width, count == 1 ? 7 : 9).overlap == "");
    }
}

TEST_CASE("a sweep's report.html can be read at 1280, 768 and 390 pixels and on paper, and asks for nothing",
          "[large]") {
    const TemporaryFolder folder;
    const json sweep{{"base", small_spec()},
                     {"grid", {{"batch_size", {12, 24}}, {"strategy.overlap", {true, false}}}}};
    const auto outcome =
        run_convoy({"sweep", write_spec(folder, sweep, "sweep.json"), "--out", (folder / "out").string()});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    const auto sweep_folder = (folder / "out").string();
    check_page(sweep_folder + "/report.html", 1);

    const auto picture = (folder / "plot.svg").string();
    const ProcessSettings no_programs{.path = (folder / "none").string()};
    CHECK(run_convoy({"report", sweep_folder, "--plot", picture}, no_programs).code == 0);
    CHECK(run_convoy({"report", sweep_folder, "--plot", (folder / "plot.png").string()}).code == 0);
    CHECK_THAT(text_of(folder / "plot.png"), Catch::StartsWith("\x89PNG"));
    CHECK_THAT(text_of(picture), Contains("Step time by batch size") && Contains(">no overlap<"));
    CHECK(run_convoy({"report", sweep_folder, sweep_folder, "--plot", picture}).code == 64);
    const auto phases = run_convoy({"report", sweep_folder, "--table", "phases", "--format", "csv"});
    CHECK(phases.code == 0);
    CHECK_THAT(phases.out, Contains("run,node,") && Contains("\"batch_size=12, strategy.overlap=true\",0,"));
    CHECK_THAT(run_convoy({"report", sweep_folder}).out, Contains("median [smallest, largest]"));
    CHECK_THAT(run_convoy({"report", sweep_folder, "--format", "latex"}).out,
               Contains("\\label{tab:medians}") && Contains(" \\num{12} & true & "));
    CHECK_THAT(run_convoy({"compare", sweep_folder, sweep_folder, "--format", "latex"}).out,
               Contains("\\label{tab:comparison}"));
    CHECK(run_convoy({"report", sweep_folder, "--table", "epochs", "--plot", picture}).code == 64);
}

TEST_CASE("without gnuplot a run succeeds, its page has its figures, and --plot fails in one line") {
    const TemporaryFolder folder;
    const ProcessSettings no_programs{.path = (folder / "none").string()};
    const auto spec = write_spec(folder, small_spec());
    const auto run = (folder / "out").string();
    const auto outcome = run_convoy({"run", spec, "--out", run}, no_programs);
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK_THAT(text_of(folder / "out" / "report.html"),
               Contains("One step of all nodes") && Contains("Loss and accuracy per epoch"));
    const auto plot = run_convoy({"report", run, "--plot", (folder / "plot.svg").string()}, no_programs);
    CHECK(plot.code == 66);
    CHECK(plot.err == "convoy: gnuplot: is not installed, and draws the plots; install gnuplot-nox\n");
    CHECK_FALSE(std::filesystem::exists(folder / "plot.svg"));
}

TEST_CASE("a terminal sees the operators' shares as bars, in aligned columns") {
    const TemporaryFolder folder;
    const auto run = run_spec(folder, small_spec(), "out");
    const std::vector<std::string> command{"report", run.string(), "--table", "operators"};
    const auto seen = run_convoy(command, {.terminal_width = 170});
    CHECK(seen.code == 0);
    CHECK_THAT(seen.out, Contains("share (%)") && Contains(" ####"));
    std::istringstream lines(seen.out);
    std::string line;
    std::getline(lines, line);  // the title
    std::getline(lines, line);
    const auto end_of_total = line.find("total (ms)") + std::string("total (ms)").size();
    while (std::getline(lines, line)) {
        CHECK(line.size() <= 170);
        if (line.find(" in ") != std::string::npos) continue;  // a row without figures
        CHECK(line.at(end_of_total) == ' ');
        CHECK(std::isdigit(static_cast<unsigned char>(line.at(end_of_total - 1))) != 0);
    }
    CHECK_THAT(run_convoy(command).out, !Contains("####"));
}

TEST_CASE("the check of pages finds what is wrong with one") {
    const TemporaryFolder folder;
    const auto page = folder.write(
        "page.html", R"(<!DOCTYPE html><img src="http://127.0.0.1:9/x.png"><link rel="help" href="other.html">
<a href="runs/a/report.html">below</a><a href="https://example.org">far</a><a href="../x.html">above</a>
<p style="width: 500px">wide</p><svg viewBox="0 0 100 50" width="100"><text x="80" y="20" font-size="6">reaches out of it</text></svg>
<svg viewBox="0 0 400 50" width="400"><text x="0" y="20">one text</text><text x="10" y="24">another</text><text x="200" y="20">apart</text></svg>
<script>console.error("said by the page"); undefined_function();</script>)");
    const auto rendering = render_page(page, 400);
    CHECK(rendering.page_width > 400);
    CHECK(rendering.requests == 1);
    CHECK(rendering.references == 4);
    CHECK(rendering.links == 1);
    CHECK(rendering.figures == 2);
    CHECK(rendering.overlap == "another and one text");
    CHECK(rendering.smallest_text < readable);
    CHECK(rendering.cut_off == "reaches out of it");
    CHECK_THAT(rendering.console, Contains("said by the page") && Contains("undefined_function"));
}
