#include <signal.h>

#include <catch2/catch.hpp>
#include <sstream>

#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

namespace {

/// The lines that are not about the progress of epochs, and no warnings (of nodes that share cores).
std::vector<std::string> lines_of_errors(const std::string& text) {
    std::vector<std::string> found;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        if (!line.starts_with("epoch ") && !line.starts_with("convoy: warning: ")) found.push_back(line);
    return found;
}

}  // namespace

TEST_CASE("a node that is killed at any moment gives one line of errors") {
    const TemporaryFolder folder;
    auto spec = long_spec();
    spec["nodes"] = nodes(4);
    const auto file = write_spec(folder, spec);
    for (std::size_t alive = 1; alive <= 4; ++alive) {
        ConvoyProcess run({"run", file, "--out", (folder / "out").string()});
        REQUIRE(run.wait_until([&] { return run.children().size() >= alive; }));
        ::kill(run.children().back(), SIGKILL);
        const auto outcome = run.wait();
        CHECK((outcome.code == 74 || outcome.code == 69));
        const auto lines = lines_of_errors(outcome.err);
        INFO(outcome.err);
        REQUIRE(lines.size() == 1);
        CHECK_THAT(lines[0], Catch::Matches("convoy: node [0-3] .* was killed by signal 9 .*"));
    }
}

TEST_CASE("the end of the terminal stops a run, which keeps what was finished") {
    const TemporaryFolder folder;
    ConvoyProcess run({"run", write_spec(folder, long_spec()), "--out", (folder / "out").string()});
    REQUIRE(run.wait_for_error_text("epoch "));
    run.signal(SIGHUP);
    CHECK(run.wait().code == 130);
    CHECK(json_of(folder / "out" / "summary.json").at("status") == "interrupted");
}

TEST_CASE("a mistyped word is answered with the one that is meant, and -h is --help") {
    const TemporaryFolder folder;
    CHECK(run_convoy({"-h"}).out == run_convoy({"--help"}).out);
    CHECK(run_convoy({"run", "-h"}).out == run_convoy({"run", "--help"}).out);
    CHECK(run_convoy({"version"}).out == run_convoy({"--version"}).out);
    const auto word = run_convoy({"reprot", "x"});
    CHECK(word.code == 64);
    CHECK(word.err ==
          "convoy: \"reprot\" is not a subcommand (did you mean \"report\"?); see convoy --help\n");
    const auto option = run_convoy({"run", "x", "--dryrun"});
    CHECK(option.code == 64);
    CHECK_THAT(option.err, Contains("did you mean --dry-run?"));
    auto spec = small_spec();
    spec["optimizer"] = "Adam";
    const auto value = run_convoy({"plan", write_spec(folder, spec)});
    CHECK(value.code == 65);
    CHECK_THAT(value.err, Contains("$.optimizer") && Contains("did you mean \"adam\"?"));
}
