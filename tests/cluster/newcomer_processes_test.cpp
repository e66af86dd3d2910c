#include "cluster/newcomer_processes.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <map>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "cluster/control_messages.hpp"
#include "raw_channel.hpp"

using namespace convoy;
using Catch::Matchers::Contains;

namespace {

/// Starts nothing, but gives the launcher a connection, whose other end a test has.
class PretendedStarter final : public NodeStarter {
  public:
    std::optional<StartedNode> start(const NodeStart& node, NodeWatch /*watch*/) override {
        if (fails) throw ClusterError("no such machine");
        auto connection = SocketPair::open();
        far_ends[node.rank] = std::move(connection.other);
        return StartedNode{.pid = 100 + node.rank, .control = std::move(connection.one), .host = "127.0.0.1"};
    }
    void end(std::int64_t rank, bool by_force) override {
        CHECK(by_force);
        ended.push_back(rank);
    }

    bool fails = false;
    std::map<std::int64_t, Descriptor> far_ends = {};
    std::vector<std::int64_t> ended = {};
};

class NoticeListener final : public LaunchObserver {
  public:
    void on_notice(const std::string& line) override { notices += line + "\n"; }
    std::string notices = {};
};

messages::Hello hello_of(std::int64_t place) {
    messages::Hello hello;
    hello.pid = 100 + place;
    hello.fabric = "127.0.0.1:9";
    hello.rank = place;
    return hello;
}

/// A run of three nodes, which goes on without a node after step 5.
class GoingOn {
  public:
    explicit GoingOn(bool grow = true)
        : options_(options(grow)),
          links_(io_, {},
                 [this](MembershipEvent event) {
                     if (!newcomers.hear(event)) others.push_back(std::move(event));
                 }),
          newcomers({.options = options_,
                     .observer = listener,
                     .starter = starter,
                     .links = links_,
                     .watch = [](std::int64_t) { return NodeWatch{}; },
                     .deliver = [this](MembershipEvent event) { others.push_back(std::move(event)); },
                     .run_is_over = [this] { return is_over; }},
                    std::vector<Seat>(3)) {
        newcomers.note_step(5);
    }

    /// Handles what comes over the connections until this holds.
    template <class Condition>
    void handle_until(Condition condition) {
        while (!condition()) REQUIRE(io_.run_one_for(std::chrono::seconds(20)) == 1);
    }
    template <class Event>
    [[nodiscard]] bool was_told() const {
        return std::ranges::any_of(
            others, [](const MembershipEvent& event) { return std::holds_alternative<Event>(event); });
    }

  private:
    static LaunchOptions options(bool grow) {
        LaunchOptions options;
        options.spec.failures = {.policy = FailurePolicy::shrink, .grow = grow, .restarts = 2};
        return options;
    }

    boost::asio::io_context io_;
    LaunchOptions options_;
    ControlLinks links_;

  public:
    PretendedStarter starter;
    NoticeListener listener;
    bool is_over = false;
    std::vector<MembershipEvent> others;  ///< those that are not about newcomers' connections
    NewcomerProcesses newcomers;
};

}  // namespace

TEST_CASE("a process in the place of a lost one waits to join when it has said hello") {
    GoingOn run;
    CHECK_FALSE(run.newcomers.next_due());
    run.newcomers.wait_for(1);
    REQUIRE(run.newcomers.next_due());
    CHECK(*run.newcomers.next_due() <= Clock::now());
    run.newcomers.start_due();
    CHECK(run.newcomers.is_started(1));
    CHECK_FALSE(run.newcomers.is_started(0));
    RawChannel process(run.starter.far_ends.at(1).release());
    process.send(messages::encode(hello_of(1)));
    run.handle_until([&] { return run.newcomers.is_any_ready(); });
    CHECK(messages::type_of(process.receive()) == messages::type_of(encode(told::Welcome{})));
    CHECK(run.was_told<event::NewcomerWaits>());
    CHECK_FALSE(run.was_told<event::HelloCame>());
    const auto ready = run.newcomers.take_ready();
    REQUIRE(ready.size() == 1);
    CHECK(ready[0].place == 1);
    CHECK(ready[0].pid == 101);
    CHECK_FALSE(run.newcomers.is_started(1));
    CHECK(run.starter.ended.empty());
}

TEST_CASE("a process of another build is ended, and another one follows after a pause") {
    GoingOn run;
    run.newcomers.wait_for(2);
    run.newcomers.start_due();
    RawChannel process(run.starter.far_ends.at(2).release());
    auto hello = hello_of(2);
    hello.version = "another";
    process.send(messages::encode(hello));
    run.handle_until([&] { return !run.starter.ended.empty(); });
    CHECK(run.starter.ended == std::vector<std::int64_t>{2});
    CHECK_THAT(run.listener.notices, Contains("a new process of node 2 runs convoy another, not "));
    const auto before = Clock::now();
    run.newcomers.ended(2, "was killed by signal 9");
    CHECK(run.was_told<event::NewcomerLeft>());
    CHECK_FALSE(run.newcomers.is_started(2));
    REQUIRE(run.newcomers.next_due());
    CHECK(*run.newcomers.next_due() >= before + std::chrono::seconds(1));
    run.newcomers.ended(2, "was killed by signal 9");
    CHECK_THAT(run.listener.notices, Contains("no other process is started for node 2: 2 in a row failed"));
    CHECK_FALSE(run.newcomers.next_due());
}

TEST_CASE("a process whose connection ends before it joins is ended") {
    GoingOn run;
    run.newcomers.wait_for(0);
    run.newcomers.start_due();
    run.starter.far_ends.at(0).reset();
    run.handle_until([&] { return !run.starter.ended.empty(); });
    CHECK(run.starter.ended == std::vector<std::int64_t>{0});
    CHECK_FALSE(run.was_told<event::Closed>());
}

TEST_CASE("a process that cannot be started counts as one that has ended") {
    GoingOn run;
    run.starter.fails = true;
    run.newcomers.wait_for(1);
    run.newcomers.start_due();
    CHECK_FALSE(run.newcomers.is_started(1));
    CHECK(run.was_told<event::NewcomerLeft>());
    CHECK(run.newcomers.next_due());
}

TEST_CASE("a run that is over, or does not grow, waits for nobody") {
    GoingOn run;
    run.newcomers.wait_for(1);
    run.newcomers.start_due();
    run.is_over = true;
    run.newcomers.end_all();
    CHECK(run.starter.ended == std::vector<std::int64_t>{1});
    run.newcomers.ended(1, "was killed by signal 9");
    CHECK_FALSE(run.newcomers.next_due());

    GoingOn shrinking(false);
    shrinking.newcomers.wait_for(1);
    CHECK_FALSE(shrinking.newcomers.next_due());
}
