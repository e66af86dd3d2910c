#include "hosts/host_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <catch2/catch.hpp>
#include <set>

using namespace convoy;

namespace {

HostPlan two_hosts() {
    return {.name = "convoy-4711", .link_mbit = {1000.0, 1000.0}, .network = host_network(3)};
}

std::vector<std::string> lines(const HostPlan& plan) {
    std::vector<std::string> texts;
    for (const auto& command : set_up_commands(plan))
        texts.push_back(fmt::format("{}", fmt::join(command, " ")));
    return texts;
}

}  // namespace

TEST_CASE("hosts are namespaces behind a bridge, each link limited at both of its ends") {
    const std::vector<std::string> expected{
        "ip netns add convoy-4711-switch",
        "ip -n convoy-4711-switch link add bridge type bridge",
        "ip -n convoy-4711-switch link set bridge up",
        "ip link add convoy-4711 type veth peer name launcher netns convoy-4711-switch",
        "ip -n convoy-4711-switch link set launcher master bridge up",
        "ip address add 198.18.3.254/24 dev convoy-4711",
        "ip link set convoy-4711 up",
        "ip netns add convoy-4711-0",
        "ip -n convoy-4711-0 link add eth0 type veth peer name host0 netns convoy-4711-switch",
        "ip -n convoy-4711-switch link set host0 master bridge up",
        "ip -n convoy-4711-0 address add 198.18.3.1/24 dev eth0",
        "ip -n convoy-4711-0 link set lo up",
        "ip -n convoy-4711-0 link set eth0 up",
        "ip netns exec convoy-4711-0 sh -c for way in cubic reno; do sysctl -q -w "
        "net.ipv4.tcp_congestion_control=$way 2>/dev/null && break; done; :",
        "tc -n convoy-4711-0 qdisc add dev eth0 root tbf rate 1000000000bit burst 250000b limit 2500000b",
        "tc -n convoy-4711-switch qdisc add dev host0 root tbf rate 1000000000bit burst 250000b limit "
        "2500000b"};
    const auto found = lines(two_hosts());
    REQUIRE(found.size() == expected.size() + 9);
    CHECK(std::vector(found.begin(), found.begin() + 16) == expected);
    CHECK(found.back() ==
          "tc -n convoy-4711-switch qdisc add dev host1 root tbf rate 1000000000bit burst 250000b limit "
          "2500000b");
}

TEST_CASE("a link without a limit has no queue of its own, and a slow one a burst of some frames") {
    auto plan = two_hosts();
    plan.link_mbit = {std::nullopt, std::nullopt};
    for (const auto& line : lines(plan)) CHECK_THAT(line, !Catch::StartsWith("tc"));
    plan.link_mbit[1] = 100.0;
    CHECK_THAT(lines(plan).back(), Catch::Contains("rate 100000000bit burst 32768b limit 2000000b"));
    plan.link_mbit[1] = 2.5;
    CHECK_THAT(lines(plan).back(), Catch::Contains("rate 2500000bit burst 32768b limit 65536b"));
}

TEST_CASE("TCP of each host hands over less at once than the burst of the slowest link") {
    auto plan = two_hosts();
    const auto sizes = [&] {
        std::vector<std::string> found;
        for (const auto& line : lines(plan))
            if (line.find("gso_max_size") != std::string::npos) found.push_back(line);
        return found;
    };
    plan.link_mbit = {150.0, std::nullopt, 300.0};
    CHECK(sizes() == std::vector<std::string>{"ip -n convoy-4711-0 link set eth0 gso_max_size 33750",
                                              "ip -n convoy-4711-1 link set eth0 gso_max_size 33750",
                                              "ip -n convoy-4711-2 link set eth0 gso_max_size 33750"});
    plan.link_mbit = {2.5};
    CHECK(sizes() == std::vector<std::string>{"ip -n convoy-4711-0 link set eth0 gso_max_size 29491"});
    plan.link_mbit = {300.0, std::nullopt};
    CHECK(sizes().empty());
}

TEST_CASE("each host's link has a rate of its own") {
    auto plan = two_hosts();
    plan.link_mbit = {100.0, std::nullopt, 10.0};
    std::vector<std::string> limits;
    for (const auto& line : lines(plan))
        if (line.starts_with("tc ")) limits.push_back(line.substr(0, line.find("bit")));
    CHECK(limits ==
          std::vector<std::string>{"tc -n convoy-4711-0 qdisc add dev eth0 root tbf rate 100000000",
                                   "tc -n convoy-4711-switch qdisc add dev host0 root tbf rate 100000000",
                                   "tc -n convoy-4711-2 qdisc add dev eth0 root tbf rate 10000000",
                                   "tc -n convoy-4711-switch qdisc add dev host2 root tbf rate 10000000"});
    CHECK(plan.hosts() == 3);
}

TEST_CASE("hosts and launcher have addresses of one network, up to the last of most_hosts") {
    const auto plan = two_hosts();
    CHECK(plan.host_address(0).to_string() == "198.18.3.1");
    CHECK(plan.host_address(249).to_string() == "198.18.3.250");
    CHECK(plan.launcher_address().to_string() == "198.18.3.254");
}

TEST_CASE("networks to choose from are different ones, all within the range for benchmarks") {
    std::set<std::string> networks;
    for (std::int64_t i = 0; i < host_networks; ++i) {
        const auto network = host_network(4'194'304 + i);
        networks.insert(network.to_string());
        CHECK(boost::asio::ip::network_v4(network.address(), 15).canonical().to_string() == "198.18.0.0/15");
    }
    CHECK(networks.size() == host_networks);
}

TEST_CASE("names tell their owner, and fit an interface") {
    CHECK(host_set_name(4'194'304).size() <= 15);
    CHECK(owner_of(host_set_name(4711)) == 4711);
    CHECK(owner_of(two_hosts().host_name(12)) == 4711);
    CHECK(owner_of(two_hosts().switch_name()) == 4711);
    for (const std::string other :
         {"", "convoy", "convoy-", "convoy-x", "convoy-12x", "convoy--3", "peer-12", "convoy-0"})
        CHECK(owner_of(other) == std::nullopt);
}
