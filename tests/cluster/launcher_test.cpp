#include "cluster/launcher.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <utility>

#include "cluster/fake_run.hpp"
#include "cluster/messages.hpp"
#include "cluster/raw_channel.hpp"

using Catch::Matchers::Matches;
using convoy::ExitCode;
using convoy::RunStatus;

TEST_CASE("nodes form a ring, do their job and tell everything") {
    const auto nodes = GENERATE(1, 2, 4);
    const auto run = run_fake({.behaviour = "rounds", .nodes = nodes});
    REQUIRE(run.outcome);
    CHECK(run.outcome->status == RunStatus::done);
    CHECK(run.outcome->warnings.empty());
    CHECK(run.notices.empty());
    CHECK(run.outcome->weights == std::vector{std::byte{1}, std::byte{2}, std::byte{250}});
    CHECK(run.outcome->records.steps.size() == static_cast<std::size_t>(8 * nodes));

    REQUIRE(run.outcome->nodes.size() == static_cast<std::size_t>(nodes));
    for (std::size_t rank = 0; rank < run.outcome->nodes.size(); ++rank) {
        const auto& node = run.outcome->nodes[rank];
        CHECK(node.rank == static_cast<std::int64_t>(rank));
        CHECK(node.pid > 0);
        CHECK(node.host == "127.0.0.1");
        CHECK(node.threads == 2);
        // Started in the order of their ranks.
        if (rank > 0) CHECK(node.pid > run.outcome->nodes[rank - 1].pid);
    }
    REQUIRE(run.outcome->records.summaries.size() == static_cast<std::size_t>(nodes));
    for (const auto& summary : run.outcome->records.summaries) {
        // One machine has one clock, so the true offset is 0.
        CHECK(summary.clock.round_trip_us > 0);
        CHECK(std::abs(summary.clock.start_us) <= summary.clock.round_trip_us / 2 + 0.01);
        CHECK(std::abs(summary.clock.end_us) <= summary.clock.round_trip_us / 2 + 0.01);
        CHECK(summary.clock.start_us != 0);
        CHECK(summary.clock.end_us != summary.clock.start_us);
        CHECK(summary.threads == 2);
    }
}

TEST_CASE("progress is shown with its rank") {
    std::int64_t seen = -1;
    const auto run = run_fake({.behaviour = "rounds", .nodes = 1, .on_progress = [&](const auto& progress) {
                                   seen = progress.rank;
                                   CHECK(progress.steps == 8);
                               }});
    CHECK(run.outcome);
    CHECK(seen == 0);
}

TEST_CASE("a node that is killed is named, with code 74") {
    const auto run = run_fake({.behaviour = "kill"});
    REQUIRE(run.error);
    CHECK(run.error->code() == ExitCode::node_lost);
    CHECK_THAT(run.error->what(),
               Matches(R"(node 2 \(pid [0-9]+\) was killed by signal 9 \(Killed\) in epoch 1, step [1-5])"));
}

TEST_CASE("a node that exits is named, with code 74") {
    const auto run = run_fake({.behaviour = "exit"});
    REQUIRE(run.error);
    CHECK(run.error->code() == ExitCode::node_lost);
    CHECK_THAT(run.error->what(),
               Matches(R"(node 1 \(pid [0-9]+\) ended with exit code 3 in epoch 1, step [1-3])"));
}

TEST_CASE("a node's last words count when its end is known before they are read") {
    bool waited = false;
    const auto run = run_fake({.behaviour = "last_words", .nodes = 2, .on_progress = [&](const auto&) {
                                   if (std::exchange(waited, true)) return;
                                   siginfo_t end{};
                                   CHECK(::waitid(P_ALL, 0, &end, WEXITED | WNOWAIT) == 0);
                               }});
    REQUIRE(run.error);
    CHECK_THAT(run.error->what(),
               Matches(R"(node 1 \(pid [0-9]+\) ended with exit code 3 in epoch 1, step 3)"));
}

TEST_CASE("a node that hangs is named, not the peers that wait for it") {
    const auto run = run_fake({.behaviour = "hang", .deadline_s = 2, .join_deadline_s = 60});
    REQUIRE(run.error);
    CHECK(run.error->code() == ExitCode::node_lost);
    CHECK_THAT(run.error->what(),
               Matches(R"(node 1 \(pid [0-9]+\) (does not answer|has not answered for 2 s).*)"));
    CHECK(run.times_passed > 0);  // pings go out while nobody tells anything
}

TEST_CASE("a node that answers and does nothing else is named, not the peers that wait for it") {
    const auto run = run_fake({.behaviour = "absent", .nodes = 3, .deadline_s = 2, .join_deadline_s = 60});
    REQUIRE(run.error);
    CHECK(run.error->code() == ExitCode::deadline);
    CHECK_THAT(run.error->what(),
               Matches(R"(node 1 \(pid [0-9]+\) answers, but took no part within 2 s .*step [1-4])"));
}

TEST_CASE("a node's own error ends the run with its code and message") {
    const auto run = run_fake({.behaviour = "data_error"});
    REQUIRE(run.error);
    CHECK(run.error->code() == ExitCode::data);
    CHECK_THAT(run.error->what(), Matches(R"(node 2 \(pid [0-9]+\): labels.gz: label 11 is above 9)"));
}

TEST_CASE("what a job throws that is no Error is a bug") {
    const auto run = run_fake({.behaviour = "bug"});
    REQUIRE(run.error);
    CHECK(run.error->code() == ExitCode::bug);
    CHECK_THAT(run.error->what(), Matches(R"(node 0 \(pid [0-9]+\): .*index 7.*)"));
}

TEST_CASE("nodes with different fingerprints disagree") {
    const auto run = run_fake({.behaviour = "fingerprint", .nodes = 3});
    REQUIRE(run.error);
    CHECK(run.error->code() == ExitCode::disagreement);
    CHECK_THAT(run.error->what(),
               Matches(R"(node . .* and node . .* disagree on the labels .*(another|the same).*)"));
}

TEST_CASE("a node that is alive but never ready meets the deadline") {
    const auto run = run_fake({.behaviour = "unready", .nodes = 2, .deadline_s = 2, .join_deadline_s = 60});
    REQUIRE(run.error);
    CHECK(run.error->code() == ExitCode::deadline);
    CHECK_THAT(run.error->what(), Matches("node 1 .* was not ready to train within 2 s .*"));
}

TEST_CASE("nodes that all stand still in reading meet the deadline, and one is named with its file") {
    const auto run = run_fake({.behaviour = "blocked", .nodes = 2, .deadline_s = 0.5, .join_deadline_s = 60});
    REQUIRE(run.error);
    CHECK(run.error->code() == ExitCode::deadline);
    CHECK_THAT(run.error->what(),
               Matches("node 0 .* has done nothing for 0.5 s while it reads /data/labels.gz; .*"));
}

TEST_CASE("a node that is stopped before its first step is silent, and not late") {
    const auto run = run_fake({.behaviour = "stopped", .nodes = 3, .deadline_s = 1, .join_deadline_s = 60});
    REQUIRE(run.error);
    CHECK(run.error->code() == ExitCode::node_lost);
    CHECK_THAT(run.error->what(), Matches("node 1 .* (does not answer|has not answered for 1 s).*"));
}

TEST_CASE("the lines of a node are shown, except its own error, which is a part of the run's") {
    const auto run = run_fake({.behaviour = "complains", .nodes = 2});
    REQUIRE(run.error);
    CHECK_THAT(run.error->what(),
               Matches("node 0 .* ended with exit code 9 before its first step: an error of its own"));
    CHECK(run.lines.contains("node 0: ERROR: \033[1mSanitizer"));
    for (const auto& line : run.lines) CHECK_THAT(line, Matches("node [01]: ERROR: .*"));
}

TEST_CASE("a cluster that does not form within the deadline is code 69") {
    const auto run = run_fake({.behaviour = "mute", .nodes = 2, .join_deadline_s = 0.2});
    REQUIRE(run.error);
    CHECK(run.error->code() == ExitCode::unavailable);
    CHECK_THAT(run.error->what(), Matches(R"(node 0 \(pid [0-9]+\) did not join within 0.2 s.*)"));
}

TEST_CASE("a worker that ends before it joined is named at once") {
    const auto run = run_fake({.behaviour = "leave", .nodes = 2, .deadline_s = 1000});
    REQUIRE(run.error);
    CHECK(run.error->code() == ExitCode::unavailable);
    CHECK_THAT(run.error->what(),
               Matches(R"(node . \(pid [0-9]+\) ended with exit code 3 before it joined)"));
}

TEST_CASE("a worker of another version is a disagreement") {
    const auto run = run_fake({.behaviour = "old", .nodes = 2});
    REQUIRE(run.error);
    CHECK(run.error->code() == ExitCode::disagreement);
    CHECK_THAT(run.error->what(),
               Matches(fmt::format(R"(node . .* runs convoy .* \(protocol {}\), the launcher .*)",
                                   convoy::messages::protocol - 1)));
}

TEST_CASE("a crash after the work was done costs no results, but a warning") {
    const auto run = run_fake({.behaviour = "exit_after", .nodes = 2});
    REQUIRE(run.outcome);
    CHECK(run.outcome->status == RunStatus::done);
    REQUIRE(run.outcome->warnings.size() == 1);
    CHECK_THAT(run.outcome->warnings[0], Matches("node 1 .* ended with exit code 5 after its work was done"));
}

TEST_CASE("a program that cannot be started is code 69") {
    auto options = fake_launch_options({.behaviour = "rounds", .nodes = 1});
    options.worker_command = {"/nowhere/convoy"};
    convoy::LaunchObserver observer;
    CHECK_THROWS_AS(convoy::launch(options, observer), convoy::ClusterError);
}
