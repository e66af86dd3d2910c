#include "cluster/fault_injector.hpp"

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "cluster/driven_membership.hpp"

using namespace convoy;
using namespace std::chrono_literals;

namespace {

/// Starts nothing, and writes down the signals that it sends.
class SignalList final : public NodeStarter {
  public:
    std::optional<StartedNode> start(const NodeStart& /*node*/, NodeWatch /*watch*/) override { return {}; }
    void end(std::int64_t /*rank*/, bool /*by_force*/) override {}
    void signal(std::int64_t rank, int number) override { sent.emplace_back(rank, number); }

    std::vector<std::pair<std::int64_t, int>> sent = {};
};

class FaultListener final : public LaunchObserver {
  public:
    void on_fault(const ComingFault& fault) override { faults.push_back(fault); }
    void on_notice(const std::string& line) override { notices.push_back(line); }

    std::vector<ComingFault> faults = {};
    std::vector<std::string> notices = {};
};

using Sent = std::vector<std::pair<std::int64_t, int>>;

/// Three nodes that train, with the faults of a spec.
struct Faulty {
    Shrinking members{3};
    NodeProcesses processes{3};
    SignalList starter;
    boost::asio::io_context io;
    ControlLinks links{io, {}, [](MembershipEvent) {}};
    FaultListener listener;
    TimedFaults timed;
    FaultInjector injector;

    explicit Faulty(const std::vector<TimedFault>& of_times, std::vector<FaultSpec> at_steps = {})
        : timed(of_times),
          injector({std::move(at_steps), &timed}, {.membership = members.machine(),
                                                   .processes = processes,
                                                   .starter = starter,
                                                   .links = links,
                                                   .observer = listener}) {}
};

}  // namespace

TEST_CASE("a fault of a time is a signal to the process of its place, and is told") {
    Faulty run({{.time_s = 1.0, .node = 2, .kind = FaultKind::kill},
                {.time_s = 2.0, .node = 0, .kind = FaultKind::hang}});
    run.injector.do_due();  // the nodes do not train yet
    CHECK(run.starter.sent.empty());
    run.injector.note_training(Clock::now() - 10s);
    REQUIRE(run.injector.next_due());
    run.injector.do_due();
    CHECK(run.starter.sent == Sent{{2, SIGKILL}});
    REQUIRE(run.listener.faults.size() == 1);
    CHECK(run.listener.faults[0].place == 2);
    CHECK(run.listener.faults[0].kind == FaultKind::kill);
    // The next one waits until all nodes train again.
    CHECK_FALSE(run.injector.next_due());
    run.injector.note_training(Clock::now() - 10s);
    run.injector.do_due();
    CHECK(run.starter.sent == Sent{{2, SIGKILL}, {0, SIGSTOP}});
}

TEST_CASE("a fault whose time has not come waits") {
    Faulty run({{.time_s = 100.0, .node = 2, .kind = FaultKind::kill}});
    run.injector.note_training(Clock::now());
    CHECK(run.injector.next_due());
    run.injector.do_due();
    CHECK(run.starter.sent.empty());
}

TEST_CASE("a fault comes to the process of its place, whose rank may be another") {
    Faulty run({{.time_s = 1.0, .node = 2, .kind = FaultKind::kill}},
               {{.node = 2, .step = 4, .kind = FaultKind::slow, .factor = 2.0}});
    Regrouping without_second;
    without_second.ranks = {0, 2};
    without_second.steps = {3, 3};
    run.processes.go_on(without_second, run.members.machine().members(), {});
    run.injector.note_training(Clock::now() - 10s);
    run.injector.do_due();
    run.injector.node_suffers(1, 4);
    CHECK(run.starter.sent == Sent{{2, SIGKILL}});
    REQUIRE(run.listener.faults.size() == 2);
    for (const auto& fault : run.listener.faults) {
        CHECK(fault.rank == 1);
        CHECK(fault.place == 2);
    }
}

TEST_CASE("no fault comes while a node is known to have failed") {
    Faulty run({{.time_s = 1.0, .node = 2, .kind = FaultKind::term}});
    run.injector.note_training(Clock::now() - 10s);
    REQUIRE(run.injector.next_due());
    run.members.kill(1);
    CHECK_FALSE(run.injector.next_due());
    run.injector.do_due();
    CHECK(run.starter.sent.empty());
}

TEST_CASE("a fault of a node that is not there is told, and the next one comes") {
    Faulty run({{.time_s = 1.0, .node = 7, .kind = FaultKind::kill},
                {.time_s = 1.5, .node = 1, .kind = FaultKind::term}});
    run.injector.note_training(Clock::now() - 10s);
    run.injector.do_due();
    REQUIRE(run.listener.notices.size() == 1);
    CHECK_THAT(run.listener.notices[0], Catch::Contains("of node 7 does not happen: the node is not there"));
    CHECK(run.starter.sent == Sent{{1, SIGTERM}});
}

TEST_CASE("a fault is told with the last step that any member has told") {
    Faulty run({{.time_s = 1.0, .node = 1, .kind = FaultKind::kill}});
    for (const auto& [rank, step] : {std::pair(0, 5), {2, 3}}) {
        NodeProgress progress;
        progress.rank = rank;
        progress.step = step;
        run.members.say(rank, progress);
    }
    run.injector.note_training(Clock::now() - 10s);
    run.injector.do_due();
    REQUIRE(run.listener.faults.size() == 1);
    CHECK(run.listener.faults[0].told_step == 5);
}

TEST_CASE("a fault of a step is told once, when its node tells of it") {
    Faulty run({}, {{.node = 1, .step = 4, .kind = FaultKind::slow, .factor = 2.0}});
    CHECK(run.injector.at_steps_of(1).size() == 1);
    run.injector.node_suffers(1, 4);
    run.injector.node_suffers(1, 4);
    REQUIRE(run.listener.faults.size() == 1);
    CHECK(run.listener.faults[0].rank == 1);
    CHECK(run.listener.faults[0].factor == 2.0);
    CHECK(run.injector.at_steps_of(1).empty());
}
