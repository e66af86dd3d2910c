#include "cluster/suspension.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "cluster/driven_membership.hpp"

using namespace convoy;
using namespace std::chrono_literals;

TEST_CASE("the other nodes stand still after a loss, and go on after the last step that one has") {
    const std::int64_t victim = GENERATE(0, 1, 2);
    Shrinking run(3);
    const auto other = (victim + 1) % 3, last = (victim + 2) % 3;
    // A peer may see the loss before the launcher does.
    CHECK(receivers_of<told::Suspend>(run.suspend(other, 7)).empty());
    const auto actions = run.kill(victim);
    CHECK(receivers_of<told::Suspend>(actions) == std::vector{Shrinking::link_of(last)});
    CHECK(receivers_of<told::Abort>(actions).empty());
    CHECK(all_of<action::TellLost>(actions).size() == 1);
    CHECK_FALSE(run.machine().is_over());
    SECTION("all have the same step") {
        run.suspend(last, 7);
        REQUIRE(run.machine().regrouping());
        CHECK(run.machine().regrouping()->behind.empty());
        CHECK(run.machine().regrouping()->step == 7);
    }
    SECTION("one is a step behind") {
        const auto asked = run.suspend(last, 8);
        CHECK(receivers_of<told::GiveState>(asked) == std::vector{Shrinking::link_of(last)});
        CHECK_FALSE(run.machine().is_over());
        CHECK(all_of<action::TakeState>(run.give_state(last, 8)).size() == 1);
        REQUIRE(run.machine().regrouping());
        CHECK(run.machine().regrouping()->behind == std::vector{other});
        CHECK(run.machine().regrouping()->step == 8);
    }
    CHECK(run.machine().is_over());
    CHECK(run.machine().regrouping()->ranks == std::vector{std::min(other, last), std::max(other, last)});
    CHECK_FALSE(run.machine().verdict().error);
}

TEST_CASE("a node that hangs is ended before the others go on without it") {
    Shrinking run(3);
    for (int beat = 0; beat < 4; ++beat) {
        run.wait(1s);
        for (const std::int64_t rank : {0, 2}) run.say(rank, said::Pong{});
    }
    const auto actions = run.wait(1s);
    CHECK(receivers_of<told::Suspend>(actions).size() == 2);
    const auto ends = all_of<action::EndProcess>(actions);
    REQUIRE(ends.size() == 1);
    CHECK(ends[0].rank == 1);
    CHECK(ends[0].by_force);
    run.suspend(0, 3);
    run.suspend(2, 3);
    CHECK_FALSE(run.machine().is_over());
    run.kill(1);
    CHECK(run.machine().regrouping()->ranks == std::vector<std::int64_t>{0, 2});
}

TEST_CASE("a node that is lost while the others stand still is lost, too, with the state that only it had") {
    Shrinking run(4);
    run.kill(3);
    run.suspend(0, 7);
    run.suspend(1, 8);
    CHECK(receivers_of<told::GiveState>(run.suspend(2, 8)) == std::vector{Shrinking::link_of(1)});
    SECTION("another has it") {
        CHECK(receivers_of<told::GiveState>(run.kill(1)) == std::vector{Shrinking::link_of(2)});
        run.give_state(2, 8);
        CHECK(run.machine().regrouping()->behind == std::vector<std::int64_t>{0});
        CHECK(run.machine().regrouping()->step == 8);
    }
    SECTION("nobody has it") {
        run.kill(1);
        run.kill(2);
        CHECK(run.machine().regrouping()->behind.empty());
        CHECK(run.machine().regrouping()->step == 7);
    }
}

TEST_CASE("a run goes on without nodes only as long as all others have steps to take") {
    Shrinking run(2);
    const auto ends_with = [&](ExitCode code) {
        REQUIRE(run.machine().verdict().error);
        CHECK(run.machine().verdict().error->code == code);
        CHECK_FALSE(run.machine().regrouping());
    };
    SECTION("one is done") {
        run.say(0, said::Done{});
        CHECK(receivers_of<told::Abort>(run.kill(1)).front() == Shrinking::link_of(0));
        ends_with(ExitCode::node_lost);
    }
    SECTION("one is done while it is asked to stand still") {
        CHECK(receivers_of<told::Suspend>(run.kill(1)).size() == 1);
        CHECK(receivers_of<told::Abort>(run.say(0, said::Done{})).size() == 1);
        ends_with(ExitCode::node_lost);
    }
    SECTION("one does not stand still in time") {
        run.kill(1);
        for (int beat = 0; beat < 4; ++beat) {
            run.wait(1s);
            run.say(0, said::Pong{});
        }
        ends_with(ExitCode::node_lost);
    }
    SECTION("nobody is left") {
        run.kill(1);
        run.kill(0);
        ends_with(ExitCode::node_lost);
    }
    SECTION("one has an error of its own") {
        run.say(0, said::Failed{.problem = {.code = ExitCode::data, .message = "label 11"}});
        ends_with(ExitCode::data);
    }
    SECTION("the launcher cannot keep records") {
        run.kill(1);
        run.tell(event::StopWanted{});
        ends_with(ExitCode::node_lost);
    }
    SECTION("the user interrupts") {
        run.kill(1);
        run.tell(event::Signalled{});
        ends_with(ExitCode::interrupted);
    }
}

TEST_CASE("a node that is lost before the nodes that go on have agreed is lost, too") {
    auto seats = Shrinking::seats(3);
    seats[2].joins = true;
    Shrinking run(seats, true);
    run.greet(0);
    SECTION("another one has not said hello again") {
        const auto actions = run.kill(0);
        // The newcomer has no state yet, and ends.
        CHECK(receivers_of<told::Suspend>(actions) == std::vector{Shrinking::link_of(1)});
        REQUIRE(all_of<action::EndProcess>(actions).size() == 1);
        CHECK(all_of<action::EndProcess>(actions)[0].rank == 2);
        run.greet(1);
        run.suspend(1, 7);
        run.kill(2);
        REQUIRE(run.machine().regrouping());
        CHECK(run.machine().regrouping()->ranks == std::vector<std::int64_t>{1});
        CHECK(run.machine().regrouping()->step == 7);
    }
    SECTION("it is the newcomer") {
        run.greet(1);
        run.greet(2);
        CHECK(receivers_of<told::Suspend>(run.kill(2)).size() == 2);
        run.suspend(0, 7);
        run.suspend(1, 7);
        REQUIRE(run.machine().regrouping());
        CHECK(run.machine().regrouping()->ranks == std::vector<std::int64_t>{0, 1});
    }
}

TEST_CASE("a wish to stop from before reaches the nodes that go on") {
    DrivenMembership run({.seats = Shrinking::seats(1), .shrinks = true, .begun = true, .signals = 1});
    run.start(0);
    run.connect(1, "127.0.0.1", 0);
    const auto actions = run.greet(1, DrivenMembership::hello_of(0));
    CHECK(all_of<action::Assign>(actions).size() == 1);
    CHECK(receivers_of<told::Stop>(actions) == std::vector<ConnectionId>{1});
}

TEST_CASE("a node that works is awaited for longer than the deadline, one that does not is lost") {
    Shrinking run(3);
    run.kill(2);
    run.suspend(0, 7);
    double busy_us = 0.0;
    const auto answer_for = [&](int beats, double used_us) {
        for (int beat = 0; beat < beats; ++beat) {
            run.wait(1s);
            busy_us += used_us;
            run.say(0, said::Pong{});
            run.say(1, said::Pong{.number = 0, .clock_us = 0.0, .busy_us = busy_us});
        }
    };
    answer_for(9, 500'000.0);
    CHECK_FALSE(run.machine().is_over());
    answer_for(9, 0.0);
    run.kill(1);
    REQUIRE(run.machine().regrouping());
    CHECK(run.machine().regrouping()->ranks == std::vector<std::int64_t>{0});
}

TEST_CASE("nodes that hang at the same time are lost at the same time") {
    Shrinking run(3);
    MembershipActions last;
    for (int beat = 0; beat < 5; ++beat) {
        last = run.wait(1s);
        run.say(0, said::Pong{});
    }
    CHECK(all_of<action::TellLost>(last).size() == 2);
    CHECK(all_of<action::EndProcess>(last).size() == 2);
    CHECK(receivers_of<told::Suspend>(last) == std::vector{Shrinking::link_of(0)});
}

TEST_CASE("nodes that lost each other all go on, and the run ends if they do so again after the same step") {
    const bool is_second = GENERATE(false, true);
    Shrinking run(Shrinking::seats(3), true, is_second ? std::optional(7) : std::nullopt);
    for (std::int64_t rank = 0; rank < 3; ++rank) run.greet(rank);
    run.agree();
    for (std::int64_t rank = 0; rank < 3; ++rank) run.suspend(rank, 7);
    const auto actions = run.wait(Inquest::time_for_evidence);
    CHECK(all_of<action::TellLost>(actions).size() == (is_second ? 1 : 0));
    CHECK(all_of<action::Notice>(actions).size() == 1);
    if (is_second) {
        CHECK_FALSE(run.machine().regrouping());
        CHECK(receivers_of<told::Abort>(actions).size() == 3);
        return;
    }
    REQUIRE(run.machine().regrouping());
    CHECK(run.machine().regrouping()->ranks == std::vector<std::int64_t>{0, 1, 2});
    CHECK(run.machine().regrouping()->in_vain);
}

TEST_CASE("a node that answers and takes no part is lost if it does not stand still in time") {
    Shrinking run(3);
    for (const std::int64_t rank : {0, 2})
        run.say(rank,
                said::Suspended{.step = 7, .problem = messages::Problem{ExitCode::deadline, "no word"}});
    run.say(1, said::Pong{});
    CHECK(receivers_of<told::Suspend>(run.wait(Inquest::time_for_evidence - 100ms)).empty());
    const auto actions = run.wait(100ms);
    CHECK(receivers_of<told::Suspend>(actions) == std::vector{Shrinking::link_of(1)});
    CHECK(all_of<action::TellLost>(actions).empty());
    std::vector<action::TellLost> lost;
    for (int beat = 0; beat < 5; ++beat) {
        for (std::int64_t rank = 0; rank < 3; ++rank) run.say(rank, said::Pong{});
        for (auto& tell : all_of<action::TellLost>(run.wait(1s))) lost.push_back(tell);
    }
    REQUIRE(lost.size() == 1);
    CHECK(lost[0].lost.rank == 1);
    run.kill(1);
    REQUIRE(run.machine().regrouping());
    CHECK(run.machine().regrouping()->ranks == std::vector<std::int64_t>{0, 2});
    CHECK_FALSE(run.machine().regrouping()->in_vain);
}

TEST_CASE("workers apart go on from their own steps, and none takes the state of another") {
    const std::int64_t victim = GENERATE(0, 2);
    auto run = Shrinking::served(3, 2);
    CHECK(receivers_of<told::Suspend>(run.kill(victim)).size() == 4);
    const std::int64_t other = 2 - victim;
    CHECK(run.suspend(1, 12).empty());
    CHECK(run.suspend(3, 9).empty());
    CHECK(run.suspend(4, 8).empty());
    CHECK_FALSE(run.machine().is_over());
    CHECK(receivers_of<told::GiveState>(run.suspend(other, 10)).empty());
    REQUIRE(run.machine().regrouping());
    const auto& found = *run.machine().regrouping();
    CHECK(found.behind.empty());
    CHECK(found.step == 10);  // of the slowest worker; servers count the steps of a worker that is lost
    if (victim == 0) {
        CHECK(found.ranks == std::vector<std::int64_t>{1, 2, 3, 4});
        CHECK(found.steps == std::vector<std::int64_t>{12, 10, 9, 8});
    } else {
        CHECK(found.ranks == std::vector<std::int64_t>{0, 1, 3, 4});
        CHECK(found.steps == std::vector<std::int64_t>{10, 12, 9, 8});
    }
}

TEST_CASE("a lost server ends a run of workers apart, and the reason says why") {
    auto run = Shrinking::served(2, 1);
    const auto ends = [&] {
        REQUIRE(run.machine().verdict().error);
        CHECK(run.machine().verdict().error->code == ExitCode::node_lost);
        CHECK_THAT(run.machine().verdict().error->message,
                   Catch::Matchers::Contains("node 2") && Catch::Matchers::Contains("without a server"));
        CHECK_FALSE(run.machine().regrouping());
    };
    SECTION("it is the first one that is lost") {
        CHECK(receivers_of<told::Suspend>(run.kill(2)).empty());
        ends();
    }
    SECTION("a worker was lost before") {
        CHECK(receivers_of<told::Suspend>(run.kill(0)).size() == 2);
        run.suspend(1, 4);
        CHECK(receivers_of<told::Abort>(run.kill(2)) == std::vector{Shrinking::link_of(1)});
        ends();
    }
    SECTION("it hangs") {
        for (int beat = 0; beat < 6; ++beat) {
            run.wait(1s);
            for (const std::int64_t rank : {0, 1}) run.say(rank, said::Pong{});
        }
        ends();
    }
}

TEST_CASE("a run of workers apart ends when servers alone are left") {
    auto run = Shrinking::served(2, 1);
    run.kill(1);
    run.suspend(2, 4);
    run.kill(0);
    REQUIRE(run.machine().verdict().error);
    CHECK(run.machine().verdict().error->code == ExitCode::node_lost);
    CHECK_FALSE(run.machine().regrouping());
}
