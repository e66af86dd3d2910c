#include "cluster/membership.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <iterator>

#include "cluster/actions_asked.hpp"
#include "cluster/inquest.hpp"

using namespace convoy;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using Catch::Matchers::Matches;
using Catch::Matchers::StartsWith;

namespace {

/// A machine with two nodes, both by hand, and the time of its last event.
class TwoByHand {
  public:
    explicit TwoByHand(std::optional<double> heartbeat_s = {})
        : machine_({.seats = {{.by_hand = true, .threads = {}}, {.by_hand = true, .threads = {}}},
                    .deadline_s = 4,
                    .join_deadline_s = 60,
                    .heartbeat_s = heartbeat_s}) {
        machine_.begin(now_);
    }

    MembershipActions tell(MembershipEvent event) { return machine_.handle(std::move(event), now_); }
    MembershipActions wait(Clock::duration time) {
        now_ += time;
        return tell(event::TimePassed{});
    }
    /// In two parts: the machine is due each second.
    MembershipActions wait_for_evidence() {
        auto actions = wait(Inquest::time_for_evidence / 2);
        std::ranges::move(wait(Inquest::time_for_evidence / 2), std::back_inserter(actions));
        return actions;
    }
    /// Nobody tells the machine anything for this time, also not when it is due.
    void sleep(Clock::duration time) { now_ += time; }
    MembershipActions say(ConnectionId connection, MemberMessage message) {
        return tell(event::Said{.connection = connection, .message = std::move(message)});
    }
    MembershipActions join(ConnectionId connection) {
        tell(event::Connected{.connection = connection, .host = "10.0.0.1"});
        messages::Hello hello;
        hello.pid = static_cast<std::int64_t>(connection);
        hello.fabric = "10.0.0.1:4000";
        hello.cores = static_cast<int>(connection);
        return tell(event::HelloCame{.connection = connection, .hello = hello});
    }
    [[nodiscard]] const Membership& machine() const { return machine_; }

  private:
    Membership machine_;
    TimePoint now_{1h};
};

}  // namespace

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
    run.join(1);
    run.join(2);
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
    run.join(1);
    run.join(2);
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
    Membership machine({.seats = {{.by_hand = false, .remote = true, .threads = 1},
                                  {.by_hand = false, .remote = true, .threads = 1}},
                        .deadline_s = 4,
                        .join_deadline_s = 60});
    const TimePoint now{1h};
    machine.begin(now);
    const auto join = [&](std::int64_t rank, const std::string& host, const std::string& fabric) {
        const auto connection = static_cast<ConnectionId>(rank + 1);
        machine.handle(event::ProcessStarted{.rank = rank, .pid = 0}, now);
        machine.handle(event::Connected{.connection = connection, .host = host, .rank = rank}, now);
        messages::Hello hello;
        hello.pid = 9;
        hello.rank = rank;
        hello.fabric = fabric;
        return machine.handle(event::HelloCame{.connection = connection, .hello = hello}, now);
    };
    SECTION("one of each") {
        join(0, "a", "10.0.0.1:4000");
        const auto actions = join(1, "localhost", "127.0.0.1:4000");
        CHECK(all_of<action::Assign>(actions).empty());
        CHECK(receivers_of<told::Abort>(actions) == std::vector<ConnectionId>{1, 2});
        CHECK(machine.verdict().error->code == ExitCode::unavailable);
        CHECK_THAT(machine.verdict().error->message,
                   Contains("node 1 (pid 9 on localhost) is reached by 127.0.0.1:4000") &&
                       Contains("node 0 (pid 9 on a)"));
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
    Membership machine({.seats = {{.by_hand = false, .threads = 1}}, .deadline_s = 4, .join_deadline_s = 60});
    const TimePoint now{1h};
    machine.begin(now);
    machine.handle(event::ProcessStarted{.rank = 0, .pid = 9}, now);
    const auto welcome =
        machine.handle(event::Connected{.connection = 1, .host = "127.0.0.1", .rank = 0}, now);
    CHECK(receivers_of<told::Welcome>(welcome) == std::vector<ConnectionId>{1});
    messages::Hello hello;
    hello.pid = 9;
    hello.rank = 0;
    SECTION("right") {
        const auto actions = machine.handle(event::HelloCame{.connection = 1, .hello = hello}, now);
        CHECK(all_of<action::Assign>(actions).size() == 1);
        CHECK(machine.members()[0].info.host == "127.0.0.1");
    }
    SECTION("another version or rank") {
        GENERATE(true, false) ? void(hello.version = "0.0.1") : void(hello.rank = 1);
        const auto actions = machine.handle(event::HelloCame{.connection = 1, .hello = hello}, now);
        CHECK(all_of<action::Refuse>(actions).size() == 1);
        machine.handle(event::ProcessEnded{.rank = 0, .how = "ended", .well = false}, now);
        CHECK(machine.verdict().error->code == ExitCode::disagreement);
    }
    SECTION("closed before it said hello") {
        machine.handle(event::Closed{.connection = 1, .how = "closed"}, now);
        machine.handle(event::ProcessEnded{.rank = 0, .how = "ended with exit code 3", .well = false}, now);
        CHECK(machine.verdict().error->code == ExitCode::unavailable);
        CHECK_THAT(machine.verdict().error->message, Contains("ended with exit code 3 before it joined"));
    }
}

TEST_CASE("all nodes stop after the step of the furthest") {
    TwoByHand run;
    run.join(1);
    run.join(2);
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
    run.join(1);
    run.join(2);
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
    run.join(1);
    run.join(2);
    run.tell(event::StopWanted{});
    run.say(1, said::AtStep{.step = 0});
    const auto actions = run.say(2, said::AtStep{.step = 0});
    CHECK(receivers_of<told::Abort>(actions).empty());
    CHECK(receivers_of<told::StopAfter>(actions).size() == 2);
    CHECK(receivers_of<told::Abort>(run.tell(event::Signalled{})).empty());
}

TEST_CASE("a machine that slept loses no node") {
    TwoByHand run;
    run.join(1);
    run.join(2);
    for (int beat = 0; beat < 3; ++beat) CHECK(receivers_of<told::Abort>(run.wait(1h)).empty());
}

TEST_CASE("a silent node is lost when the deadline is over, and all know it at once") {
    TwoByHand run;
    run.join(1);
    run.join(2);
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
    run.join(1);
    run.join(2);
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
    run.join(1);
    run.join(2);
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
    run.join(1);
    run.join(2);
    for (int beat = 0; beat < 4; ++beat) run.wait(1s);
    run.sleep(500ms);
    CHECK(receivers_of<told::Abort>(
              run.say(1, said::Failed{.problem = {.code = ExitCode::deadline, .message = "no word"}}))
              .empty());
    CHECK(receivers_of<told::Abort>(run.wait(500ms)).size() == 2);
    CHECK_THAT(run.machine().verdict().error->message,
               Contains("node 1") && Contains("not answered for 4 s"));
}

TEST_CASE("a node whose connection ends is lost once its process has ended, or at most a second later") {
    const bool ends = GENERATE(true, false);
    Membership machine({.seats = {{.by_hand = false, .threads = 1}, {.by_hand = true, .threads = 1}},
                        .deadline_s = 4,
                        .join_deadline_s = 60});
    TimePoint now{1h};
    machine.begin(now);
    const auto come = [&](ConnectionId connection, std::optional<std::int64_t> rank) {
        machine.handle(event::Connected{.connection = connection, .host = "10.0.0.1", .rank = rank}, now);
        messages::Hello hello;
        hello.pid = 9;
        hello.fabric = "10.0.0.1:9";
        hello.rank = rank;
        machine.handle(event::HelloCame{.connection = connection, .hello = hello}, now);
    };
    machine.handle(event::ProcessStarted{.rank = 0, .pid = 9}, now);
    come(1, 0);
    come(2, std::nullopt);
    CHECK(receivers_of<told::Abort>(machine.handle(event::Closed{.connection = 1, .how = "gone"}, now))
              .empty());
    machine.handle(event::Said{.connection = 2, .message = said::Pong{}}, now);  // it is alive
    now += ends ? 3ms : Inquest::time_for_evidence;
    const auto actions =
        ends ? machine.handle(event::ProcessEnded{.rank = 0, .how = "was killed", .well = false}, now)
             : machine.handle(event::TimePassed{}, now);
    CHECK(receivers_of<told::Abort>(actions) == std::vector<ConnectionId>{2});
    CHECK_THAT(machine.verdict().error.value().message,
               Contains(ends ? "was killed" : "closed its connection"));
}

TEST_CASE("a launcher that stood still blames no node that left it") {
    TwoByHand run;
    run.join(1);
    run.join(2);
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
    run.join(1);
    run.join(2);
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
    for (const ConnectionId id : {1, 2}) run.join(id);
    for (const ConnectionId id : {1, 2}) run.say(id, said::Agree{.fingerprints = {{"spec", "s"}}});
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
    for (const ConnectionId id : {1, 2}) run.join(id);
    for (const ConnectionId id : {1, 2}) run.say(id, said::Agree{.fingerprints = {{"spec", "s"}}});
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
    for (const ConnectionId id : {1, 2}) run.join(id);
    for (const ConnectionId id : {1, 2}) run.say(id, said::Agree{.fingerprints = {{"spec", "s"}}});
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
    for (const ConnectionId id : {1, 2}) run.join(id);
    for (const ConnectionId id : {1, 2}) run.say(id, said::Agree{.fingerprints = {{"spec", "s"}}});
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

TEST_CASE("a run that is interrupted before a step has results ends with an error, and keeps nothing") {
    TwoByHand run;
    run.join(1);
    run.join(2);
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
    Membership machine({.seats = {{.by_hand = false, .threads = 1}, {.by_hand = false, .threads = 1}},
                        .deadline_s = 4,
                        .join_deadline_s = 60});
    const TimePoint now{1h};
    CHECK(all_of<action::Start>(machine.begin(now)).size() == 2);
    machine.handle(event::StartFailed{.rank = 0, .problem = {ExitCode::unavailable, "no program"}}, now);
    CHECK_FALSE(machine.is_over());
    const auto ends =
        all_of<action::EndProcess>(machine.handle(event::ProcessStarted{.rank = 1, .pid = 9}, now));
    REQUIRE(ends.size() == 1);
    CHECK_FALSE(ends[0].by_force);
    machine.handle(event::ProcessEnded{.rank = 1, .how = "was killed", .well = false}, now);
    CHECK(machine.is_over());
    CHECK(machine.verdict().error->message == "no program");
}

TEST_CASE("a fault is told before the node that waits for it may do it, and the begin of training is told") {
    TwoByHand run;
    run.join(1);
    run.join(2);
    CHECK(all_of<action::TellAgreed>(run.say(1, said::Agree{.fingerprints = {{"spec", "a"}}})).empty());
    CHECK(all_of<action::TellAgreed>(run.say(2, said::Agree{.fingerprints = {{"spec", "a"}}})).size() == 1);
    const auto actions = run.say(2, said::FaultComes{.step = 7});
    REQUIRE(actions.size() == 2);
    CHECK(std::get<action::TellFault>(actions[0]).rank == 1);
    CHECK(std::get<action::TellFault>(actions[0]).step == 7);
    CHECK(receivers_of<told::FaultNoted>(actions) == std::vector<ConnectionId>{2});
}
