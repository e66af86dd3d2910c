#include <catch2/catch.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "report.hpp"
#include "report/example_run.hpp"
#include "report/latex.hpp"
#include "report/overview.hpp"
#include "report/render.hpp"
#include "report/run_folder.hpp"
#include "report/tables.hpp"

using namespace convoy;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

/// What the command prints on standard output.
std::string printed(const std::vector<std::string>& arguments,
                    std::optional<std::size_t> terminal = std::nullopt) {
    const std::ostringstream captured;
    auto* const before = std::cout.rdbuf(captured.rdbuf());
    try {
        const int code = report_on(arguments, terminal);
        CHECK(code == 0);
    } catch (...) {
        std::cout.rdbuf(before);
        throw;
    }
    std::cout.rdbuf(before);
    return captured.str();
}

}  // namespace

TEST_CASE("convoy report prints one table of one run in every format") {
    const TemporaryFolder temporary;
    const auto run = temporary.path() / "run";
    write_run_folder(run, example_run());
    const auto table = operators_table(results_of(example_run()));
    CHECK(printed({run, "--table", "operators"}) == to_text(table));
    CHECK(printed({run, "--table", "operators", "--bars"}) == to_text(table, {.bars = true, .width = {}}));
    CHECK(printed({run, "--table", "operators"}, 100) == to_text(table, {.bars = true, .width = 100}));
    CHECK(printed({run, "--table", "operators", "--format", "csv"}) == to_csv(table));
    CHECK(printed({"--format=markdown", "--table=operators", run}) == to_markdown(table));
    CHECK(printed({run, "--table", "operators", "--format", "json"}) == to_json_text(table));
    CHECK(printed({run, "--table", "operators", "--format", "latex"}) == to_latex(table));
    CHECK_THAT(printed({run, "--format", "html"}),
               Contains("<h2>Time per phase</h2>") && Contains("</html>"));
    CHECK(printed({run}) == overview_text(results_of(example_run()), {}));
}

TEST_CASE("convoy report names the runs where there are several") {
    const TemporaryFolder temporary;
    write_run_folder(temporary.path() / "a", example_run());
    write_run_folder(temporary.path() / "b", example_run());
    write_run_folder(temporary.path() / "other" / "b", example_run());
    const auto a = (temporary.path() / "a/").string();
    const auto b = (temporary.path() / "b").string();
    const auto other = (temporary.path() / "other" / "b").string();
    CHECK_THAT(printed({a, b, "--table", "phases", "--format", "csv"}),
               StartsWith("run,node,read_s") && Contains("\na,0,0.5") && Contains("\nb,1,0.5"));
    CHECK_THAT(printed({b, other, "--table", "phases", "--format", "csv"}),
               Contains("\n" + other + ",0,0.5"));
    CHECK(nlohmann::json::parse(printed({a, b, "--format", "json"})).size() == 4);
}

TEST_CASE("convoy report says what is wrong with a command line") {
    const TemporaryFolder temporary;
    const auto run = (temporary.path() / "run").string();
    write_run_folder(run, example_run());
    CHECK_THROWS_AS(printed({}), UsageError);
    CHECK_THROWS_AS(printed({run, "--tabel", "operators"}), UsageError);
    CHECK_THROWS_WITH(
        printed({run, "--table", "operator"}),
        "--table: found \"operator\", expected one of operators, operator_totals, phases, input_pipeline, "
        "epochs, system, utilisation, network, memory, final, measurement, label_histogram, parts, updates, "
        "staleness, failures (did you mean "
        "\"operators\"?)");
    CHECK_THROWS_WITH(printed({run, "--format", "pdf"}),
                      "--format: found \"pdf\", expected text, csv, markdown, json, html or latex");
    CHECK_THROWS_AS(printed({run, "--format", "csv"}), UsageError);
    CHECK_THROWS_AS(printed({run + "x"}), MissingFileError);
    CHECK_THAT(printed({"--help"}), Contains("--table"));
}

TEST_CASE("convoy report draws a table into a file") {
    const TemporaryFolder temporary;
    const auto run = (temporary.path() / "run").string();
    write_run_folder(run, example_run());
    const auto file = [&temporary](const std::string& name) { return (temporary.path() / name).string(); };
    CHECK(printed({run, "--plot", file("curves")}) == "written to " + file("curves.svg") + "\n");
    CHECK_THAT(read_text(file("curves.svg")),
               Contains(">Loss<") && Contains(">Accuracy<") && Contains("</svg>"));
    printed({run, "--table", "operators", "--plot", file("bars.svg")});
    CHECK_THAT(read_text(file("bars.svg")), Contains("_FusedConv2D conv1"));
    printed({run, "--table", "operator_totals", "--plot", file("kinds.svg")});
    CHECK_THAT(read_text(file("kinds.svg")), Contains(">_FusedConv2D<"));
    printed({run, "--table", "system", "--plot", file("system.png")});
    CHECK_THAT(read_text(file("system.png")), StartsWith("\x89PNG"));
    printed({run, "--table", "system", "--plot", file("system.pdf")});
    CHECK_THAT(read_text(file("system.pdf")), StartsWith("%PDF"));
    printed({run, "--table", "operators", "--plot", file("bars.tex")});
    CHECK_THAT(read_text(file("bars.tex")), Contains("{\\_FusedConv2D conv1}"));
    printed({run, run + "/", "--plot", file("both.svg")});
    CHECK_THAT(read_text(file("both.svg")), Contains(run + "/: train"));
}

TEST_CASE("convoy report says what it cannot draw") {
    const TemporaryFolder temporary;
    const auto run = (temporary.path() / "run").string();
    write_run_folder(run, example_run());
    const auto file = (temporary.path() / "plot").string();
    CHECK_THROWS_AS(printed({run, "--plot", file + ".eps"}), UsageError);
    CHECK_THROWS_AS(printed({run, "--plot", file + "/"}), UsageError);
    CHECK_THROWS_AS(printed({run, "--plot", file, "--format", "csv"}), UsageError);
    CHECK_THROWS_AS(printed({run, "--plot", file, "--table", "phases"}), UsageError);
    CHECK_THROWS_AS(printed({run + "x", "--plot", file}), MissingFileError);
    CHECK_THROWS_AS(printed({run, "--plot", file + "/none/plot.svg"}), OutputError);
    auto empty = example_run();
    empty.records = {};
    write_run_folder(run + "-empty", empty);
    CHECK_THROWS_WITH(printed({run + "-empty", "--plot", file}), Contains("nothing to draw"));
    CHECK_FALSE(std::filesystem::exists(file + ".svg"));
}
