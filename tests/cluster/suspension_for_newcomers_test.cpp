// Members that stand still so that a node can join them.
#include <catch2/catch.hpp>

#include "cluster/driven_membership.hpp"

using namespace convoy;
using namespace std::chrono_literals;

TEST_CASE("members stand still after a common step for a node that joins, which gets the state of one") {
    Shrinking run(2);
    CHECK(receivers_of<told::Pause>(run.tell(event::NewcomerWaits{})).size() == 2);
    CHECK(run.say(0, said::AtStep{.step = 4}).empty());
    const auto told = run.say(1, said::AtStep{.step = 5});
    CHECK(receivers_of<told::PauseAfter>(told).size() == 2);
    CHECK(run.say(1, said::Suspended{.step = 5, .problem = {}}).empty());
    SECTION("it joins") {
        const auto asked = run.say(0, said::Suspended{.step = 5, .problem = {}});
        CHECK(receivers_of<told::GiveState>(asked) == std::vector{Shrinking::link_of(0)});
        CHECK_FALSE(run.machine().is_over());
        run.give_state(0, 5);
        REQUIRE(run.machine().regrouping());
        CHECK(run.machine().regrouping()->ranks == std::vector<std::int64_t>{0, 1});
        CHECK(run.machine().regrouping()->behind.empty());
        CHECK(run.machine().regrouping()->step == 5);
        CHECK(run.machine().regrouping()->signals == 0);
    }
    SECTION("the user interrupts meanwhile, of which the next members hear") {
        CHECK(receivers_of<told::Stop>(run.tell(event::Signalled{})).empty());
        run.say(0, said::Suspended{.step = 5, .problem = {}});
        run.give_state(0, 5);
        REQUIRE(run.machine().regrouping());
        CHECK(run.machine().regrouping()->signals == 1);
    }
    SECTION("a node is lost meanwhile, and the other one goes on with the newcomer") {
        CHECK(receivers_of<told::Suspend>(run.kill(1)).size() == 1);
        const auto asked = run.suspend(0, 4);
        CHECK(receivers_of<told::GiveState>(asked) == std::vector{Shrinking::link_of(0)});
        run.give_state(0, 4);
        REQUIRE(run.machine().regrouping());
        CHECK(run.machine().regrouping()->ranks == std::vector<std::int64_t>{0});
        CHECK(run.machine().regrouping()->step == 4);
    }
    SECTION("the nodes take their last step before") {
        run.say(0, said::Done{});
        run.say(1, said::Done{});
        CHECK_FALSE(run.machine().regrouping());
        CHECK_FALSE(run.machine().verdict().error);
    }
}

TEST_CASE("a node that does not stand still for a newcomer is lost in time, unless it works") {
    const bool works = GENERATE(false, true);
    Shrinking run(3);
    run.tell(event::NewcomerWaits{});
    for (std::int64_t rank = 0; rank < 3; ++rank) run.say(rank, said::AtStep{.step = 5});
    for (const std::int64_t rank : {0, 1}) run.say(rank, said::Suspended{.step = 5, .problem = {}});
    double busy_us = 0.0;
    std::vector<action::TellLost> lost;
    for (int beat = 0; beat < 12; ++beat) {
        for (auto& tell : all_of<action::TellLost>(run.wait(1s))) lost.push_back(tell);
        busy_us += works ? 500'000.0 : 0.0;
        for (const std::int64_t rank : {0, 1}) run.say(rank, said::Pong{});
        run.say(2, said::Pong{.number = 0, .clock_us = 0.0, .busy_us = busy_us});
    }
    REQUIRE(lost.size() == (works ? 0 : 1));
    if (!works) CHECK(lost[0].lost.rank == 2);
}

TEST_CASE("no node joins a run that stops, or members that have not agreed") {
    SECTION("it stops") {
        Shrinking run(2);
        run.tell(event::Signalled{});
        CHECK(receivers_of<told::Pause>(run.tell(event::NewcomerWaits{})).empty());
    }
    SECTION("they agree later") {
        Shrinking run(Shrinking::seats(2), true);
        for (const std::int64_t rank : {0, 1}) run.greet(rank);
        CHECK(receivers_of<told::Pause>(run.tell(event::NewcomerWaits{})).empty());
        CHECK(receivers_of<told::Pause>(run.agree()).size() == 2);
    }
}

TEST_CASE("a newcomer that cannot join ends itself and not the run") {
    auto seats = Shrinking::seats(2);
    seats[1].joins = true;
    Shrinking run(seats, true);
    run.greet(0);
    SECTION("it reports an error") {
        run.greet(1);
        run.say(1, said::Failed{.problem = {.code = ExitCode::data, .message = "no such file"}});
    }
    SECTION("it does not say hello again") {
        for (int beat = 0; beat < 5; ++beat) {
            run.wait(1s);
            run.say(0, said::Pong{});
        }
    }
    SECTION("it stands still before it is ready") {
        run.greet(1);
        run.say(0, said::Agree{.fingerprints = {{"spec", "s"}}});
        double busy_us = 0.0;
        for (int beat = 0; beat < 20; ++beat) {
            run.wait(1s);
            run.say(0, said::Pong{});
            run.say(1, said::Pong{.number = 0, .clock_us = 0.0, .busy_us = busy_us += 300'000.0});
        }
        CHECK_FALSE(run.machine().is_over());  // it reads
        run.kill(1);
    }
    run.suspend(0, 7);
    run.kill(1);
    REQUIRE(run.machine().regrouping());
    CHECK(run.machine().regrouping()->ranks == std::vector<std::int64_t>{0});
}
