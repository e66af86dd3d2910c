// Nodes that are silent or do nothing, and a launcher that stands still.
#include <catch2/catch.hpp>

#include "cluster/driven_membership.hpp"

using namespace convoy;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using Catch::Matchers::Matches;
using Catch::Matchers::StartsWith;

TEST_CASE("a machine that slept loses no node") {
    TwoByHand run;
    run.join_both();
    for (int beat = 0; beat < 3; ++beat) CHECK(receivers_of<told::Abort>(run.wait(1h)).empty());
}

TEST_CASE("a silent node is lost when the deadline is over, and all know it at once") {
    TwoByHand run;
    run.join_both();
    for (int beat = 0; beat < 4; ++beat) CHECK(receivers_of<told::Abort>(run.wait(1s)).empty());
    run.say(1, NodeProgress{});
    const auto actions = run.wait(1s);
    CHECK(receivers_of<told::Abort>(actions) == std::vector<ConnectionId>{1, 2});
    CHECK(all_of<action::TellLost>(actions).size() == 1);
    CHECK(all_of<action::Close>(run.wait(500ms)).size() == 2);
    REQUIRE(run.machine().is_over());
    REQUIRE(run.machine().verdict().error);
    CHECK_THAT(run.machine().verdict().error->message,
               Contains("node 1 (pid 2 on 10.0.0.1) has not answered for 4 s"));
    CHECK(run.join(3).empty());
}

TEST_CASE(
    "with heartbeats of its own, a silent node is lost within two of them, unless the launcher was late") {
    TwoByHand run(0.4);
    run.join_both();
    CHECK(receivers_of<told::Ping>(run.wait(100ms)).size() == 2);
    for (const ConnectionId link : {1, 2}) run.say(link, said::Pong{});
    const auto beat = [&](Clock::duration after) {
        const auto actions = run.wait(after);
        run.say(1, said::Pong{});
        return receivers_of<told::Abort>(actions);
    };
    for (int i = 0; i < 6; ++i) CHECK(beat(100ms).empty());
    CHECK(beat(200ms).empty());  // late: the answer may lie unread
    CHECK(beat(100ms) == std::vector<ConnectionId>{1, 2});
    CHECK_THAT(run.machine().verdict().error->message,
               Contains("node 1") && Contains("not answered for 0.6 s"));
}

TEST_CASE("with heartbeats of its own, a node that answers after one and a half of them is not lost") {
    TwoByHand run(0.4);
    run.join_both();
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 6; ++i) {
            CHECK(receivers_of<told::Abort>(run.wait(100ms)).empty());
            run.say(1, said::Pong{});
        }
        run.say(2, said::Pong{});
    }
}

TEST_CASE("a silent node is lost at once while a report of its peer is looked into") {
    TwoByHand run;
    run.join_both();
    for (int beat = 0; beat < 4; ++beat) run.wait(1s);
    run.sleep(500ms);
    CHECK(receivers_of<told::Abort>(
              run.say(1, said::Failed{.problem = {.code = ExitCode::deadline, .message = "no word"}}))
              .empty());
    CHECK(receivers_of<told::Abort>(run.wait(500ms)).size() == 2);
    CHECK_THAT(run.machine().verdict().error->message,
               Contains("node 1") && Contains("not answered for 4 s"));
}

TEST_CASE("a launcher that stood still blames no node that left it") {
    TwoByHand run;
    run.join_both();
    run.sleep(10s);
    auto lost = all_of<action::TellLost>(run.tell(event::Closed{.connection = 2, .how = "closed"}));
    for (int i = 0; i < 2; ++i)
        for (const auto& told : all_of<action::TellLost>(run.wait(500ms))) lost.push_back(told);
    REQUIRE(lost.size() == 1);
    CHECK_FALSE(lost.front().lost.rank);
    REQUIRE(run.machine().verdict().error);
    CHECK(run.machine().verdict().error->code == ExitCode::deadline);
    CHECK_THAT(run.machine().verdict().error->message, Contains("the launcher stood still for "));
}

TEST_CASE("no deadline passes while the launcher stands still") {
    TwoByHand run;
    run.join(1);
    run.sleep(1h);  // longer than nodes have to join
    CHECK(run.wait(100ms).size() <= 1);
    run.join(2);
    run.say(1, said::Agree{.fingerprints = {{"spec", "s"}}});
    run.sleep(1h);
    CHECK(receivers_of<told::Abort>(run.wait(100ms)).empty());
    run.say(2, said::Agree{.fingerprints = {{"spec", "s"}}});
    CHECK_FALSE(run.machine().verdict().error);
}

TEST_CASE("nodes of which one works before the first step are left in peace, and all others are not") {
    const bool works = GENERATE(true, false);
    TwoByHand run;
    run.join_both();
    bool ends = false;
    for (int beat = 1; beat <= 12 && !ends; ++beat) {
        for (const ConnectionId id : {1, 2})
            run.say(id,
                    said::Pong{
                        .number = 0, .clock_us = 0.0, .busy_us = beat * (works && id == 2 ? 1000.0 : 20.0)});
        ends = !receivers_of<told::Abort>(run.wait(1s)).empty();
    }
    CHECK(ends == !works);
    if (!ends) return;
    CHECK(run.machine().verdict().error->code == ExitCode::deadline);
    CHECK_THAT(run.machine().verdict().error->message, Contains("has done nothing for 4 s"));
}

TEST_CASE("the last node that has not finished ends the run if it does nothing for the deadline") {
    const bool works = GENERATE(true, false);
    TwoByHand run;
    run.begin_training();
    run.say(1, said::Done{});
    int beats = 0;
    for (bool ends = false; beats < 12 && !ends; ++beats) {
        for (const ConnectionId id : {1, 2})
            run.say(id, said::Pong{.busy_us = beats * (works && id == 2 ? 1000.0 : 20.0)});
        ends = !receivers_of<told::Abort>(run.wait(1s)).empty();
    }
    CHECK((beats < 12) == !works);
    if (works) return;
    run.wait(1s);
    CHECK(run.machine().verdict().error->code == ExitCode::deadline);
    CHECK_THAT(run.machine().verdict().error->message,
               Contains("node 1") && Contains("has done nothing for 4 s"));
}

TEST_CASE("nodes that gave up while the launcher stood still are not to blame") {
    TwoByHand run;
    run.begin_training();
    run.wait(500ms);
    run.sleep(6s);
    run.say(1, said::Failed{.problem = {.code = ExitCode::deadline, .message = "no word of node 1"}});
    for (const ConnectionId id : {1, 2}) run.say(id, said::Pong{});
    // Told as a loss of nobody, so that a run may be restarted.
    const auto lost = all_of<action::TellLost>(run.wait_for_evidence());
    REQUIRE(lost.size() == 1);
    CHECK_FALSE(lost.front().lost.rank);
    REQUIRE(run.machine().verdict().error);
    CHECK(run.machine().verdict().error->code == ExitCode::deadline);
    CHECK_THAT(run.machine().verdict().error->message,
               Matches("the launcher stood still for [56] s, .*; nodes waited for it"));
}

TEST_CASE("a node that took no part is to blame where the launcher stood still for a moment only") {
    TwoByHand run;
    run.begin_training();
    run.wait(500ms);
    run.sleep(2200ms);
    run.say(1, said::Failed{.problem = {.code = ExitCode::deadline, .message = "no word of node 1"}});
    for (const ConnectionId id : {1, 2}) run.say(id, said::Pong{});
    run.wait_for_evidence();
    REQUIRE(run.machine().verdict().error);
    CHECK_THAT(run.machine().verdict().error->message, StartsWith("node 1") && Contains("took no part"));
}

TEST_CASE("a node that waits until its checkpoint is on disk does not stand still") {
    const bool slow_disk = GENERATE(true, false);
    TwoByHand run;
    run.begin_training();
    for (const ConnectionId id : {1, 2}) {
        NodeCheckpoint checkpoint;
        checkpoint.step = 1;
        run.say(id, std::move(checkpoint));
    }
    run.say(1, said::Done{});
    if (!slow_disk) run.tell(event::CheckpointKept{});
    bool ends = false;
    for (int beat = 0; beat < 12 && !ends; ++beat) {
        for (const ConnectionId id : {1, 2}) run.say(id, said::Pong{.busy_us = beat * 20.0});
        ends = !receivers_of<told::Abort>(run.wait(1s)).empty();
    }
    CHECK(ends == !slow_disk);
}
