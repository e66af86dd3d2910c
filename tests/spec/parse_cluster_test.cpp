// Emulated hosts, and nodes that differ.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "spec/minimal.hpp"
#include "spec/parse.hpp"
#include "spec/run_identity.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::StartsWith;
using nlohmann::json;

namespace {

const std::string spec_file = "spec.json: ";

}  // namespace

TEST_CASE("hosts may be a list, whose limits stand before those of the cluster") {
    auto spec =
        with("cluster", {{"hosts", {{{"cpu", 1}}, {{"link_mbit", 100}}, json::object()}}, {"cpu", 0.5}});
    spec["nodes"] = 4;
    const auto parsed = parse_spec(spec);
    CHECK(parsed.cluster->hosts == 3);
    CHECK(parsed.host_count() == 3);
    CHECK(parsed.cluster->host(0) == HostSpec{.cpu = 1.0});
    CHECK(parsed.cluster->host(1) == HostSpec{.link_mbit = 100.0, .cpu = 0.5});
    CHECK(parsed.cluster->host(2) == HostSpec{.cpu = 0.5});
    CHECK(parse_spec(to_json(parsed)) == parsed);

    auto alike = spec, number = spec;
    alike["cluster"]["hosts"] = json::parse("[{}, {}, {}]");
    number["cluster"]["hosts"] = 3;
    CHECK(parse_spec(alike) == parse_spec(number));
    CHECK(run_id(parse_spec(alike)) == run_id(parse_spec(number)));
    CHECK(run_id(parse_spec(alike)) != run_id(parsed));

    spec["nodes"] = 2;
    CHECK(refusal(spec) ==
          spec_file + "$.cluster.hosts: found 3, expected at most one for each node, and there are 2 nodes");
    spec["cluster"]["hosts"][1]["cpu"] = 0.01;
    CHECK(refusal(spec) ==
          spec_file + "$.cluster.hosts[1].cpu: found 0.01, expected a number in [0.05, 1024]");
}

TEST_CASE("servers share the hosts of the nodes, or have those beyond the number of nodes to themselves") {
    auto spec = with("cluster", {{"hosts", 3}});
    spec["nodes"] = 3;
    spec["strategy"] = {{"name", "parameter_server"}, {"servers", 3}};
    const auto hosts = [&] {
        const auto parsed = parse_spec(spec);
        std::vector<std::int64_t> found;
        for (std::int64_t rank = 0; rank < parsed.rank_count(); ++rank) found.push_back(parsed.host_of(rank));
        return found;
    };
    using Hosts = std::vector<std::int64_t>;
    CHECK(hosts() == Hosts{0, 1, 2, 0, 1, 2});
    spec["cluster"]["hosts"] = 2;
    CHECK(hosts() == Hosts{0, 0, 1, 0, 1, 0});
    spec["cluster"]["hosts"] = 4;
    CHECK(hosts() == Hosts{0, 1, 2, 3, 3, 3});
    spec["cluster"]["hosts"] = 6;
    CHECK(hosts() == Hosts{0, 1, 2, 3, 4, 5});
    spec["nodes"] = json::parse(R"([{}, {}, {"host": 3}])");
    CHECK(refusal(spec) ==
          spec_file + "$.nodes[2].host: found 3, expected one of the 3 hosts, counted from 0");
    spec["nodes"] = 3;
    spec["cluster"]["hosts"] = 7;
    CHECK(refusal(spec) == spec_file +
                               "$.cluster.hosts: found 7, expected at most one for each node and server, "
                               "and there are 3 nodes and 3 servers");
}

TEST_CASE("a node may name its host") {
    auto spec = with("nodes", {{{"host", 1}}, json::object(), {{"host", 0}}, {{"host", 1}}});
    CHECK(refusal(spec) == spec_file + "$.nodes[0].host: found 1, expected null without $.cluster");
    spec["cluster"]["hosts"] = 2;
    const auto parsed = parse_spec(spec);
    std::vector<std::int64_t> hosts;
    for (std::int64_t rank = 0; rank < 4; ++rank) hosts.push_back(parsed.host_of(rank));
    CHECK(hosts == std::vector<std::int64_t>{1, 0, 0, 1});
    CHECK(parse_spec(to_json(parsed)) == parsed);
    CHECK(parse_spec(minimal).host_of(0) == 0);

    auto usual = spec;
    usual["nodes"] = 4;
    auto said = spec;
    said["nodes"] = {{{"host", 0}}, {{"host", 0}}, {{"host", 1}}, {{"host", 1}}};
    CHECK(run_id(parse_spec(said)) == run_id(parse_spec(usual)));
    CHECK(run_id(parsed) != run_id(parse_spec(usual)));

    spec["nodes"][2]["host"] = 2;
    CHECK(refusal(spec) ==
          spec_file + "$.nodes[2].host: found 2, expected one of the 2 hosts, counted from 0");
}

TEST_CASE("a node may have kernels of its own, where parameters lie alike") {
    auto spec = with("nodes", {{{"kernels", "xtensor"}}, json::object()});
    CHECK(refusal(spec) == spec_file +
                               "$.kernels.parameter_layout: found \"auto\", expected \"plain\" where nodes "
                               "have different kernels, since sums need equal layouts");
    spec["kernels"]["parameter_layout"] = "plain";
    const auto parsed = parse_spec(spec);
    CHECK(parsed.kernels_of(0).name == KernelLibrary::xtensor);
    CHECK(parsed.kernels_of(1) == parsed.kernels);
    CHECK(parse_spec(to_json(parsed)) == parsed);

    spec["nodes"][0]["kernels"] = {{"name", "xtensor"}, {"fusion", false}};
    CHECK_THAT(refusal(spec),
               StartsWith(spec_file + "$.nodes[0].kernels.fusion: found false, expected true as "
                                      "$.kernels"));
    spec["nodes"][0]["kernels"] = {{"name", "xtensor"}, {"convolution", "direct"}};
    CHECK_THAT(refusal(spec), StartsWith(spec_file + "$.nodes[0].kernels.convolution"));
    spec["nodes"][0]["kernels"] = "onednn";
    CHECK_THAT(refusal(spec), StartsWith(spec_file + "$.nodes[0].kernels.parameter_layout: found \"auto\""));

    spec["nodes"][0]["kernels"] = {{"name", "onednn"}, {"parameter_layout", "plain"}};
    auto shared = spec;
    shared["nodes"] = 2;
    CHECK(run_id(parse_spec(spec)) == run_id(parse_spec(shared)));
}

TEST_CASE("a cluster may leave out any limit") {
    auto spec = with("cluster", {{"hosts", 5}, {"link_mbit", 1000}, {"cpu", 0.35}, {"memory_mb", 2000}});
    spec["nodes"] = 5;
    CHECK(parse_spec(spec).cluster ==
          ClusterSpec{.hosts = 5, .link_mbit = 1000.0, .cpu = 0.35, .memory_mb = 2000});
    CHECK(parse_spec(with("cluster", json::object())).cluster == ClusterSpec{});
    CHECK(parse_spec(with("cluster", nullptr)).cluster == std::nullopt);
    CHECK(parse_spec(to_json(parse_spec(spec))) == parse_spec(spec));
}

TEST_CASE("consecutive ranks share an emulated host, and hosts are filled evenly") {
    const auto hosts_of_ranks = [](const ClusterSpec& cluster, std::int64_t nodes) {
        std::vector<std::int64_t> hosts;
        for (std::int64_t rank = 0; rank < nodes; ++rank) hosts.push_back(cluster.host_of(rank, nodes));
        return hosts;
    };
    CHECK(hosts_of_ranks({}, 3) == std::vector<std::int64_t>{0, 1, 2});
    CHECK(hosts_of_ranks({.hosts = 2}, 5) == std::vector<std::int64_t>{0, 0, 0, 1, 1});
    CHECK(hosts_of_ranks({.hosts = 3}, 4) == std::vector<std::int64_t>{0, 0, 1, 2});
    CHECK(hosts_of_ranks({.hosts = 1}, 2) == std::vector<std::int64_t>{0, 0});
}
