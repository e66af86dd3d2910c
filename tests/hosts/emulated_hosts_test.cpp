#include "hosts/emulated_hosts.hpp"

#include <catch2/catch.hpp>
#include <csignal>
#include <ctime>

#include "base/end_on_signal.hpp"
#include "base/error.hpp"
#include "support/careless_signals.hpp"

using namespace convoy;

TEST_CASE("a cluster's limits travel to the guardian as words") {
    using Words = std::vector<std::string>;
    CHECK(cluster_arguments({}, 3) == Words{"--hosts", "3"});
    CHECK(cluster_arguments({.hosts = 5, .link_mbit = 1000.0, .cpu = 0.35, .memory_mb = 2000}, 5) ==
          Words{"--hosts", "5", "--link-mbit", "1000", "--cpu", "0.35", "--memory-mb", "2000"});
}

TEST_CASE("limits of unlike hosts travel as lists, with nothing where there is no limit") {
    using Words = std::vector<std::string>;
    const ClusterSpec cluster{
        .hosts = 3, .link_mbit = 1000.0, .own_limits = {{.cpu = 1.0}, {.link_mbit = 100.0, .cpu = 0.25}, {}}};
    CHECK(cluster_arguments(cluster, 3) ==
          Words{"--hosts", "3", "--link-mbit", "1000,100,1000", "--cpu", "1,0.25,"});
}

TEST_CASE("a host's cores are its share of the machine or its limit, whichever is less") {
    CHECK(cores_of_host({.hosts = 4}, 0, 4, 8) == 2.0);
    CHECK(cores_of_host({.hosts = 4, .cpu = 0.35}, 0, 4, 8) == 0.35);
    CHECK(cores_of_host({.cpu = 3.0}, 3, 4, 8) == 2.0);
}

TEST_CASE("cores that a host may not use are shared by the others") {
    const ClusterSpec unlike{.hosts = 3, .own_limits = {{.cpu = 1.0}, {.cpu = 9.0}, {}}};
    CHECK(cores_of_host(unlike, 0, 3, 8) == 1.0);
    CHECK(cores_of_host(unlike, 1, 3, 8) == 3.5);
    CHECK(cores_of_host(unlike, 2, 3, 8) == 3.5);
    const ClusterSpec room{.hosts = 2, .own_limits = {{.cpu = 5.0}, {.cpu = 1.0}}};
    CHECK(cores_of_host(room, 0, 2, 8) == 5.0);
    CHECK(cores_of_host(room, 1, 2, 8) == 1.0);
}

namespace {

ExperimentSpec spec_with(const ClusterSpec& cluster, std::vector<NodeSpec> nodes) {
    ExperimentSpec spec;
    spec.cluster = cluster;
    spec.nodes = std::move(nodes);
    return spec;
}

int threads_of(const ClusterSpec& cluster, std::int64_t rank, std::size_t nodes, int cores) {
    return threads_on_host(spec_with(cluster, std::vector<NodeSpec>(nodes)), rank, cores);
}

}  // namespace

TEST_CASE("nodes get threads by the cores of their host and its nodes") {
    CHECK(threads_of({.hosts = 2, .cpu = 4.0}, 0, 2, 16) == 4);
    CHECK(threads_of({.hosts = 2}, 0, 3, 16) == 4);  // two nodes on the first host
    CHECK(threads_of({.hosts = 2}, 2, 3, 16) == 8);
    CHECK(threads_of({.hosts = 2, .cpu = 0.35}, 1, 2, 16) == 1);
}

TEST_CASE("a server has the threads of its worker's host, or shares a host of its own with other servers") {
    auto spec = spec_with({.hosts = 2, .cpu = 4.0}, std::vector<NodeSpec>(2));
    spec.strategy = {.name = StrategyName::parameter_server, .servers = 2};
    CHECK(threads_on_host(spec, 2, 16) == 4);
    spec.cluster->hosts = 3;
    CHECK(threads_on_host(spec, 1, 16) == 4);
    CHECK(threads_on_host(spec, 2, 16) == 2);
    spec.cluster->hosts = 4;
    CHECK(threads_on_host(spec, 3, 16) == 4);
}

TEST_CASE("where nodes are placed decides whose cores they share") {
    const auto spec = spec_with({.hosts = 2, .own_limits = {{.cpu = 2.0}, {.cpu = 6.0}}},
                                {{.host = 1}, {.host = 1}, {.host = 1}, {.host = 0}});
    CHECK(cores_of_host(spec, 0, 8) == 6.0);
    CHECK(cores_of_host(spec, 3, 8) == 2.0);
    CHECK(threads_on_host(spec, 0, 8) == 2);
    CHECK(threads_on_host(spec, 3, 8) == 2);
}

TEST_CASE("what a guardian says is read back") {
    const GuardedHosts hosts{
        .plan = {.name = "convoy-7", .link_mbit = {0.5, std::nullopt}, .network = host_network(9)},
        .control_groups = {{"/a/convoy-7-0", "/b/convoy-7-0"}, {}}};
    CHECK(parse_hosts_line(hosts_line(hosts)) == hosts);
    CHECK(parse_leftovers_line(leftovers_line({"one", "two"})) == std::vector<std::string>{"one", "two"});
    CHECK(hosts_line(hosts).find('\n') == hosts_line(hosts).size() - 1);

    CHECK_THROWS_WITH(parse_hosts_line(problem_line(ClusterError("no root"))), "no root");
    CHECK_THROWS_AS(parse_hosts_line(""), ClusterError);
    CHECK_THROWS_AS(parse_hosts_line("{}"), DataError);
    CHECK_THROWS_WITH(parse_leftovers_line(problem_line(ClusterError("no ip"))), "no ip");
    CHECK_THROWS_AS(parse_leftovers_line(R"({"leftovers": 3})"), DataError);
    CHECK_THROWS_AS(parse_leftovers_line("{}"), DataError);
}

TEST_CASE("a guardian that is not there, or ends at once, is an error") {
    CHECK_THROWS_AS(EmulatedHosts({"/nowhere/convoy"}, {}, 1), ClusterError);
    CHECK_THROWS_WITH(EmulatedHosts({"/bin/false"}, {}, 1), Catch::Contains("guardian ended without a word"));
}

TEST_CASE("a guardian begins with no signal blocked or ignored, whatever the launcher does") {
    const test::CarelessSignals careless;
    const auto guardian = test::has_clean_signals(0) + R"sh( && echo '{"code": 65, "problem": "clean"}')sh";
    CHECK_THROWS_WITH(EmulatedHosts({"/bin/sh", "-c", guardian, "guardian"}, {}, 1), "clean");
}

TEST_CASE("a signal ends the wait for the hosts, and its guardian is told") {
    HeldSignals held;
    ::raise(SIGINT);
    // It says nothing until its standard input ends, as a guardian does that has much to make.
    CHECK_THROWS_AS(EmulatedHosts({"/bin/sh", "-c", "cat", "guardian"}, {}, 1), InterruptedError);
    timespec at_once{};
    sigset_t wanted;
    ::sigemptyset(&wanted);
    ::sigaddset(&wanted, SIGINT);
    CHECK(::sigtimedwait(&wanted, nullptr, &at_once) == SIGINT);  // it still waits for who listens next
}
