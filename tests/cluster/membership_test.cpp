#include "cluster/membership.hpp"

#include <catch2/catch.hpp>

#include "cluster/driven_membership.hpp"

using namespace convoy;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

TEST_CASE("work is given once all nodes are there, with the cores that each told") {
    TwoByHand run;
    CHECK(all_of<action::Assign>(run.join(1)).empty());
    const auto actions = run.join(2);
    CHECK(all_of<action::CloseDoor>(actions).size() == 1);
    const auto work = all_of<action::Assign>(actions);
    REQUIRE(work.size() == 2);
    CHECK(work[0].connection == 1);
    CHECK(work[0].threads == 1);
    CHECK(work[1].threads == 2);
    CHECK(work[0].layout_threads == 2);
}

TEST_CASE("a stranger that proves nothing is refused and takes no seat") {
    TwoByHand run;
    run.tell(event::Connected{.connection = 7, .host = "10.0.0.1"});
    const auto refused = all_of<action::Refuse>(
        run.tell(event::Garbled{.connection = 7, .problem = {ExitCode::unavailable, "it knows nothing"}}));
    REQUIRE(refused.size() == 1);
    CHECK(refused[0].connection == 7);
    run.join(1);
    CHECK(all_of<action::Assign>(run.join(2)).size() == 2);
}

TEST_CASE(
    "a node that is lost is told, with the last step that any node had told, and how long it was unseen") {
    TwoByHand run;
    run.join_both();
    NodeProgress progress;
    progress.phase = phase::train;
    progress.epoch = 1;
    progress.step = 6;
    run.say(2, progress);
    run.wait(100ms);
    progress.step = 7;
    run.say(1, progress);
    run.wait(150ms);
    const auto actions = run.tell(event::Closed{.connection = 2, .how = "gone"});
    REQUIRE(all_of<action::TellLost>(actions).size() == 1);
    const auto lost = all_of<action::TellLost>(actions)[0].lost;
    CHECK(lost.rank == 1);
    CHECK(lost.step == 7);
    CHECK(lost.had_begun);
    CHECK(lost.unseen_s.value() >= 0.25);
    CHECK_THAT(lost.cause, Contains("node 1") && Contains("closed its connection in epoch 1, step 6"));
    CHECK(receivers_of<told::Abort>(actions) == std::vector<ConnectionId>{1});
    CHECK(all_of<action::TellLost>(run.wait(2s)).empty());
}

TEST_CASE("a node that is lost while the run stops is not told as a loss") {
    TwoByHand run;
    run.join_both();
    run.tell(event::Signalled{});
    run.tell(event::Closed{.connection = 2, .how = "gone"});
    while (!run.machine().is_over()) CHECK(all_of<action::TellLost>(run.wait(50ms)).empty());
}

TEST_CASE("a silent connection is closed after 2 s, and before that if too many come behind it") {
    TwoByHand run;
    const ConnectionId most = 2 + WaitingRoom::most_of_address;
    const auto come = [&run](ConnectionId id, const std::string& host) {
        return run.tell(event::Connected{.connection = id, .host = host});
    };
    for (ConnectionId id = 1; id <= most; ++id) {
        const auto actions = come(id, "10.0.0.9");
        CHECK(receivers_of<told::Welcome>(actions).empty());
        CHECK(all_of<action::Close>(actions).empty());
    }
    // The oldest of the same address leaves, and nobody of another.
    const auto actions = come(most + 1, "10.0.0.9");
    REQUIRE(all_of<action::Close>(actions).size() == 1);
    CHECK(all_of<action::Close>(actions)[0].connection == 1);
    CHECK(all_of<action::Close>(come(most + 2, "10.0.0.8")).empty());
    CHECK(all_of<action::Close>(run.wait(1900ms)).empty());
    CHECK(all_of<action::Close>(run.wait(100ms)).size() == most + 1);
    CHECK(all_of<action::Close>(run.wait(100ms)).empty());
}

TEST_CASE("a crowd that says nothing takes no seat of those who prove themselves") {
    TwoByHand run;
    for (ConnectionId id = 10; id <= 1000; ++id)
        run.tell(event::Connected{.connection = id, .host = "10.0.0.1"});
    run.join(1001);
    CHECK(all_of<action::Assign>(run.join(1002)).size() == 2);
}

TEST_CASE("a node of another host that listens on loopback is refused beside one that does not") {
    DrivenMembership run({.seats = {{.by_hand = false, .remote = true, .threads = 1},
                                    {.by_hand = false, .remote = true, .threads = 1}},
                          .deadline_s = 4,
                          .join_deadline_s = 60});
    const auto join = [&](std::int64_t rank, const std::string& host, const std::string& fabric) {
        const auto connection = static_cast<ConnectionId>(rank + 1);
        // ssh tells no number of the process: the node does.
        run.tell(event::ProcessStarted{.rank = rank, .pid = 0});
        run.connect(connection, host, rank);
        return run.greet(connection, DrivenMembership::hello_of(rank, fabric));
    };
    SECTION("one of each") {
        join(0, "a", "10.0.0.1:4000");
        const auto actions = join(1, "localhost", "127.0.0.1:4000");
        CHECK(all_of<action::Assign>(actions).empty());
        CHECK(receivers_of<told::Abort>(actions) == std::vector<ConnectionId>{1, 2});
        CHECK(run.machine().verdict().error->code == ExitCode::unavailable);
        CHECK_THAT(run.machine().verdict().error->message,
                   Contains("node 1 (pid 101 on localhost) is reached by 127.0.0.1:4000") &&
                       Contains("node 0 (pid 100 on a)"));
    }
    SECTION("both on loopback, or neither") {
        const std::string address = GENERATE("127.0.0.1", "10.0.0.1");
        join(0, "a", address + ":4000");
        const auto actions = join(1, "b", address + ":4001");
        CHECK(all_of<action::Assign>(actions).size() == 2);
        const auto notices = all_of<action::Notice>(actions);
        REQUIRE(notices.size() == (address == "10.0.0.1" ? 1 : 0));
        if (!notices.empty()) CHECK_THAT(notices[0].line, Contains("others on the network can read"));
    }
}

TEST_CASE("the connection of a process shows its rank, and needs no proof, but the right version") {
    DrivenMembership run(
        {.seats = {{.by_hand = false, .threads = 1}}, .deadline_s = 4, .join_deadline_s = 60});
    run.start(0);
    CHECK(receivers_of<told::Welcome>(run.connect(1, "127.0.0.1", 0)) == std::vector<ConnectionId>{1});
    auto hello = DrivenMembership::hello_of(0);
    SECTION("right") {
        CHECK(all_of<action::Assign>(run.greet(1, hello)).size() == 1);
        CHECK(run.machine().members()[0].info.host == "127.0.0.1");
    }
    SECTION("another version or rank") {
        GENERATE(true, false) ? void(hello.version = "0.0.1") : void(hello.rank = 1);
        CHECK(all_of<action::Refuse>(run.greet(1, hello)).size() == 1);
        run.tell(event::ProcessEnded{.rank = 0, .how = "ended", .well = false});
        CHECK(run.machine().verdict().error->code == ExitCode::disagreement);
    }
    SECTION("closed before it said hello") {
        run.tell(event::Closed{.connection = 1, .how = "closed"});
        run.tell(event::ProcessEnded{.rank = 0, .how = "ended with exit code 3", .well = false});
        CHECK(run.machine().verdict().error->code == ExitCode::unavailable);
        CHECK_THAT(run.machine().verdict().error->message,
                   Contains("ended with exit code 3 before it joined"));
    }
}

TEST_CASE("all nodes stop after the step of the furthest") {
    TwoByHand run;
    run.join_both();
    CHECK(receivers_of<told::Stop>(run.tell(event::Signalled{})).size() == 2);
    CHECK(run.say(1, said::AtStep{.step = 7}).empty());
    const auto actions = run.say(2, said::AtStep{.step = 9});
    CHECK(all_of<action::Notice>(actions).size() == 1);
    const auto sends = all_of<action::Send>(actions);
    REQUIRE(sends.size() == 2);
    for (const auto& send : sends) CHECK(std::get<told::StopAfter>(send.message).step == 9);
}

TEST_CASE("a launcher that cannot keep records takes no signal away from the user") {
    const bool signal_first = GENERATE(true, false);
    TwoByHand run;
    run.join_both();
    const auto tell = [&](bool signal) {
        return signal ? run.tell(event::Signalled{}) : run.tell(event::StopWanted{});
    };
    CHECK(receivers_of<told::Stop>(tell(signal_first)).size() == 2);
    CHECK(all_of<action::Send>(tell(!signal_first)).empty());
    CHECK(run.tell(event::StopWanted{}).empty());
    run.say(1, said::AtStep{.step = 7});
    CHECK(receivers_of<told::StopAfter>(run.say(2, said::AtStep{.step = 7})).size() == 2);
    CHECK(receivers_of<told::Abort>(run.tell(event::Signalled{})).size() == 2);
}

TEST_CASE("nodes without a step to take end well if their records cannot be kept") {
    TwoByHand run;
    run.join_both();
    run.tell(event::StopWanted{});
    run.say(1, said::AtStep{.step = 0});
    const auto actions = run.say(2, said::AtStep{.step = 0});
    CHECK(receivers_of<told::Abort>(actions).empty());
    CHECK(receivers_of<told::StopAfter>(actions).size() == 2);
    CHECK(receivers_of<told::Abort>(run.tell(event::Signalled{})).empty());
}

TEST_CASE("a node whose connection ends is lost once its process has ended, or at most a second later") {
    const bool ends = GENERATE(true, false);
    DrivenMembership run({.seats = {{.by_hand = false, .threads = 1}, {.by_hand = true, .threads = 1}},
                          .deadline_s = 4,
                          .join_deadline_s = 60});
    run.start(0);
    run.connect(1, "10.0.0.1", 0);
    run.greet(1, DrivenMembership::hello_of(0, "10.0.0.1:9"));
    run.connect(2, "10.0.0.1");
    auto by_hand = DrivenMembership::hello_of(1, "10.0.0.1:9");
    by_hand.rank.reset();
    run.greet(2, by_hand);
    CHECK(receivers_of<told::Abort>(run.tell(event::Closed{.connection = 1, .how = "gone"})).empty());
    run.say(2, said::Pong{});  // it is alive
    run.sleep(ends ? 3ms : Inquest::time_for_evidence);
    const auto actions = ends ? run.kill(0) : run.tell(event::TimePassed{});
    CHECK(receivers_of<told::Abort>(actions) == std::vector<ConnectionId>{2});
    CHECK_THAT(run.machine().verdict().error.value().message,
               Contains(ends ? "was killed" : "closed its connection"));
}

TEST_CASE("a run that is interrupted before a step has results ends with an error, and keeps nothing") {
    TwoByHand run;
    run.join_both();
    SECTION("no step has begun") {
        run.tell(event::Signalled{});
        run.say(1, said::AtStep{.step = 0});
        CHECK(receivers_of<told::Abort>(run.say(2, said::AtStep{.step = 0})).size() == 2);
    }
    SECTION("no results have come") {
        run.tell(event::Signalled{});
        run.tell(event::Signalled{});
    }
    REQUIRE(run.machine().verdict().error);
    CHECK(run.machine().verdict().error->code == ExitCode::interrupted);
}

TEST_CASE("a process that starts while the run ends is ended at once") {
    DrivenMembership run({.seats = {{.by_hand = false, .threads = 1}, {.by_hand = false, .threads = 1}},
                          .deadline_s = 4,
                          .join_deadline_s = 60});
    CHECK(all_of<action::Start>(run.first()).size() == 2);
    run.tell(event::StartFailed{.rank = 0, .problem = {ExitCode::unavailable, "no program"}});
    CHECK_FALSE(run.machine().is_over());
    const auto ends = all_of<action::EndProcess>(run.start(1));
    REQUIRE(ends.size() == 1);
    CHECK_FALSE(ends[0].by_force);
    run.kill(1);
    CHECK(run.machine().is_over());
    CHECK(run.machine().verdict().error->message == "no program");
}

TEST_CASE("a fault is told before the node that waits for it may do it, and the begin of training is told") {
    TwoByHand run;
    run.join_both();
    CHECK(all_of<action::TellAgreed>(run.say(1, said::Agree{.fingerprints = {{"spec", "a"}}})).empty());
    CHECK(all_of<action::TellAgreed>(run.say(2, said::Agree{.fingerprints = {{"spec", "a"}}})).size() == 1);
    const auto actions = run.say(2, said::FaultComes{.step = 7});
    REQUIRE(actions.size() == 2);
    CHECK(std::get<action::TellFault>(actions[0]).rank == 1);
    CHECK(std::get<action::TellFault>(actions[0]).step == 7);
    CHECK(receivers_of<told::FaultNoted>(actions) == std::vector<ConnectionId>{2});
}
