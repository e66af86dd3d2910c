#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cluster/actions_asked.hpp"
#include "cluster/inquest.hpp"
#include "cluster/membership.hpp"

/// A membership that a test drives: events at a time that the test moves.
class DrivenMembership {
  public:
    explicit DrivenMembership(convoy::MembershipOptions options)
        : machine_(std::move(options)), first_(machine_.begin(now_)) {}

    /// The actions with which it began.
    [[nodiscard]] const convoy::MembershipActions& first() const { return first_; }
    convoy::MembershipActions tell(convoy::MembershipEvent event) {
        return machine_.handle(std::move(event), now_);
    }
    convoy::MembershipActions wait(convoy::Clock::duration time) {
        now_ += time;
        return tell(convoy::event::TimePassed{});
    }
    /// In two parts: the machine is due each second.
    convoy::MembershipActions wait_for_evidence() {
        auto actions = wait(convoy::Inquest::time_for_evidence / 2);
        std::ranges::move(wait(convoy::Inquest::time_for_evidence / 2), std::back_inserter(actions));
        return actions;
    }
    /// Nobody tells the machine anything for this time, also not when it is due.
    void sleep(convoy::Clock::duration time) { now_ += time; }

    convoy::MembershipActions start(std::int64_t rank) {
        return tell(convoy::event::ProcessStarted{.rank = rank, .pid = pid_of(rank)});
    }
    convoy::MembershipActions connect(convoy::ConnectionId connection, const std::string& host,
                                      std::optional<std::int64_t> rank = {}) {
        return tell(convoy::event::Connected{.connection = connection, .host = host, .rank = rank});
    }
    convoy::MembershipActions greet(convoy::ConnectionId connection, const convoy::messages::Hello& hello) {
        return tell(convoy::event::HelloCame{.connection = connection, .hello = hello});
    }
    convoy::MembershipActions say(convoy::ConnectionId connection, convoy::MemberMessage message) {
        return tell(convoy::event::Said{.connection = connection, .message = std::move(message)});
    }
    convoy::MembershipActions kill(std::int64_t rank) {
        return tell(convoy::event::ProcessEnded{.rank = rank, .how = "was killed", .well = false});
    }
    [[nodiscard]] const convoy::Membership& machine() const { return machine_; }

    static std::int64_t pid_of(std::int64_t rank) { return 100 + rank; }
    /// Of the process that was started for a rank.
    static convoy::messages::Hello hello_of(std::int64_t rank, const std::string& fabric = "127.0.0.1:9") {
        convoy::messages::Hello hello;
        hello.pid = pid_of(rank);
        hello.fabric = fabric;
        hello.rank = rank;
        return hello;
    }

  private:
    convoy::Membership machine_;
    convoy::TimePoint now_{std::chrono::hours(1)};
    convoy::MembershipActions first_;
};

/// Two nodes, both by hand, whose processes have the numbers of their connections.
class TwoByHand : public DrivenMembership {
  public:
    explicit TwoByHand(std::optional<double> heartbeat_s = {})
        : DrivenMembership({.seats = {{.by_hand = true, .threads = {}}, {.by_hand = true, .threads = {}}},
                            .deadline_s = 4,
                            .join_deadline_s = 60,
                            .heartbeat_s = heartbeat_s}) {}

    convoy::MembershipActions join(convoy::ConnectionId connection) {
        connect(connection, "10.0.0.1");
        convoy::messages::Hello hello;
        hello.pid = static_cast<std::int64_t>(connection);
        hello.fabric = "10.0.0.1:4000";
        hello.cores = static_cast<int>(connection);
        return greet(connection, hello);
    }
    void join_both() {
        for (const convoy::ConnectionId id : {1, 2}) join(id);
    }
    /// Both join, and train.
    void begin_training() {
        join_both();
        for (const convoy::ConnectionId id : {1, 2})
            say(id, convoy::said::Agree{.fingerprints = {{"spec", "s"}}});
    }
};

/// Processes of the launcher's own that go on without nodes that are lost; messages by rank. All nodes train.
class Shrinking : private DrivenMembership {
  public:
    using DrivenMembership::kill;
    using DrivenMembership::machine;
    using DrivenMembership::tell;
    using DrivenMembership::wait;

    explicit Shrinking(std::int64_t count) : Shrinking(seats(count), false) { begin_training(count); }
    /// begun: the members go on after a change of the members before, and have not said hello again.
    /// in_vain_at: they have stood still after this step, and none of them was lost.
    /// With servers among them, they take steps apart.
    Shrinking(std::vector<convoy::Seat> seats, bool begun, std::optional<std::int64_t> in_vain_at = {})
        : DrivenMembership({.seats = seats,
                            .deadline_s = 4,
                            .join_deadline_s = 60,
                            .shrinks = true,
                            .apart = std::ranges::count(seats, true, &convoy::Seat::serves) > 0,
                            .begun = begun,
                            .waited_in_vain_at = in_vain_at}) {
        for (std::int64_t rank = 0; rank < std::ssize(seats); ++rank) {
            start(rank);
            connect(link_of(rank), "127.0.0.1", rank);
        }
    }
    static std::vector<convoy::Seat> seats(std::int64_t count) {
        return std::vector<convoy::Seat>(static_cast<std::size_t>(count), convoy::Seat{.threads = 1});
    }

    /// Workers that take steps apart, with servers behind them. All train.
    static Shrinking served(std::int64_t workers, std::int64_t servers) {
        auto all = seats(workers + servers);
        for (auto& seat : std::span(all).last(static_cast<std::size_t>(servers))) seat.serves = true;
        Shrinking run(all, false);
        run.begin_training(workers + servers);
        return run;
    }

    convoy::MembershipActions greet(std::int64_t rank) {
        return DrivenMembership::greet(link_of(rank), hello_of(rank));
    }
    /// Returns the actions after the last one has given its fingerprints.
    convoy::MembershipActions agree() {
        convoy::MembershipActions last;
        for (const auto& member : machine().members())
            last = say(member.info.rank, convoy::said::Agree{.fingerprints = {{"spec", "s"}}});
        return last;
    }
    convoy::MembershipActions say(std::int64_t rank, convoy::MemberMessage message) {
        return DrivenMembership::say(link_of(rank), std::move(message));
    }
    convoy::MembershipActions suspend(std::int64_t rank, std::int64_t step) {
        return say(rank,
                   convoy::said::Suspended{.step = step,
                                           .problem = convoy::messages::Problem{
                                               .code = convoy::ExitCode::node_lost, .message = "a peer"}});
    }
    convoy::MembershipActions give_state(std::int64_t rank, std::int64_t step) {
        convoy::NodeCheckpoint state;
        state.step = step;
        return say(rank, convoy::said::State{.checkpoint = state});
    }
    static convoy::ConnectionId link_of(std::int64_t rank) {
        return static_cast<convoy::ConnectionId>(rank + 1);
    }

  private:
    void begin_training(std::int64_t count) {
        for (std::int64_t rank = 0; rank < count; ++rank) greet(rank);
        agree();
    }
};
