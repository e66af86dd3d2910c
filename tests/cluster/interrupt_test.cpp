#include <catch2/catch.hpp>
#include <csignal>
#include <map>

#include "cluster/fake_run.hpp"

using convoy::ExitCode;
using convoy::RunStatus;

TEST_CASE("the first Ctrl-C stops all nodes after the same step and keeps what they have") {
    int signals = 0;
    const auto run = run_fake({.behaviour = "endless", .nodes = 3, .on_progress = [&](const auto& progress) {
                                   if (progress.step >= 3 && signals++ == 0) ::raise(SIGINT);
                               }});
    REQUIRE(run.outcome);
    CHECK(run.outcome->status == RunStatus::interrupted);
    CHECK(run.outcome->weights.size() == 3);
    std::map<std::int64_t, std::int64_t> steps;
    for (const auto& step : run.outcome->records.steps) ++steps[step.node];
    REQUIRE(steps.size() == 3);
    CHECK(steps[0] >= 3);
    CHECK(steps[1] == steps[0]);
    CHECK(steps[2] == steps[0]);
    CHECK(run.outcome->records.summaries.size() == 3);
}

TEST_CASE("a second Ctrl-C ends nodes that do not come to the end of a step") {
    int signals = 0;
    const auto run = run_fake({.behaviour = "busy", .nodes = 2, .on_progress = [&](const auto&) {
                                   if (signals++ > 0) return;
                                   ::raise(SIGINT);
                                   ::raise(SIGTERM);
                               }});
    REQUIRE(run.error);
    CHECK(run.error->code() == ExitCode::interrupted);
}

TEST_CASE("Ctrl-C ends nodes at once that stand still before their first step") {
    const auto run = run_fake({.behaviour = "interrupt_while_blocked", .nodes = 2, .deadline_s = 1000});
    REQUIRE(run.error);
    CHECK(run.error->code() == ExitCode::interrupted);
    CHECK_THAT(run.error->what(), Catch::Matches("interrupted before the first step"));
}

TEST_CASE("the end of the terminal stops a run as Ctrl-C does, unless it is ignored") {
    const bool ignored = GENERATE(false, true);
    auto* const before = std::signal(SIGHUP, ignored ? SIG_IGN : SIG_DFL);
    int signals = 0;
    const auto run = run_fake(
        {.behaviour = ignored ? "rounds" : "endless", .nodes = 2, .on_progress = [&](const auto& progress) {
             if (progress.step >= 3 && signals++ == 0) ::raise(SIGHUP);
         }});
    std::signal(SIGHUP, before);
    REQUIRE(run.outcome);
    CHECK(run.outcome->status == (ignored ? RunStatus::done : RunStatus::interrupted));
}

TEST_CASE("Ctrl-C before the nodes have begun is code 130") {
    const auto run = run_fake({.behaviour = "interrupt", .nodes = 1, .deadline_s = 1000});
    REQUIRE(run.error);
    CHECK(run.error->code() == ExitCode::interrupted);
}
