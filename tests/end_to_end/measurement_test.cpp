#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <thread>

#include "base/run_program.hpp"
#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Contains;
using nlohmann::json;

TEST_CASE("a run with more threads than cores is told so before, and is invalid") {
    const TemporaryFolder folder;
    const auto threads = std::max(1U, std::thread::hardware_concurrency()) + 1;
    auto spec = small_spec();
    spec["nodes"] = json::array({{{"threads", threads}}});
    const auto file = write_spec(folder, spec);
    const auto words = fmt::format("rank 0 has {} compute threads, and ", threads);
    CHECK_THAT(run_convoy({"plan", file}).err, Contains("warning: on this machine alone " + words));
    CHECK_THAT(run_convoy({"run", file, "--dry-run"}).err, Contains("warning: " + words));

    const auto out = folder / "out";
    const auto outcome = run_convoy({"run", file, "--out", out.string()});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK_THAT(outcome.err, Contains("warning: " + words));
    CHECK_THAT(json_of(out / "environment.json").at("warnings").dump(), Contains(words));
    const auto measurement = json_of(out / "summary.json").at("measurement");
    CHECK(measurement.at("verdict") == "invalid");
    CHECK_THAT(measurement.at("causes")[0].at("cause").get<std::string>(), Contains(words));
    CHECK_FALSE(measurement.at("causes")[0].at("remedy").get<std::string>().empty());
    const auto line = "\nmeasurement: invalid: " + words;
    CHECK_THAT(outcome.out, Contains(line));
    CHECK_THAT(run_convoy({"report", out.string()}).out, Contains(line));
    CHECK_THAT(text_of(out / "report.md"), Contains(line));
    CHECK_THAT(text_of(out / "report.html"), Contains("<b>no: invalid</b>") && Contains(words));
}

TEST_CASE(
    "a process that computes by itself gives cores back soon where threads wait, unless its user says how") {
    const auto setting_with = [](const std::string& variable, const std::string& command) {
        const auto ended = run_program({"env", "-u", "OMP_WAIT_POLICY", "-u", "GOMP_SPINCOUNT", variable,
                                        "OMP_DISPLAY_ENV=verbose", CONVOY_PROGRAM, command, "--help"},
                                       "", patience);
        CHECK(ended.code == 0);
        return ended.err;  // where OpenMP prints its settings
    };
    for (const auto* command : {"evaluate", "worker"})
        CHECK_THAT(setting_with("OMP_NUM_THREADS=1", command), Contains("GOMP_SPINCOUNT = '700'"));
    CHECK_THAT(setting_with("OMP_WAIT_POLICY=passive", "evaluate"), !Contains("GOMP_SPINCOUNT = '700'"));
    CHECK_THAT(setting_with("GOMP_SPINCOUNT=5", "evaluate"), !Contains("GOMP_SPINCOUNT = '700'"));
}
