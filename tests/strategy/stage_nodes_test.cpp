#include "strategy/stage_nodes.hpp"

#include <catch2/catch.hpp>

using namespace convoy;

namespace {

ExperimentSpec two_replicas_of_three_stages() {
    ExperimentSpec spec;
    spec.nodes.resize(6);
    spec.strategy = {.name = StrategyName::model_split, .stages = {.layers = {}, .count = 3}, .replicas = 2};
    return spec;
}

/// Six nodes, one to a host.
ClusterModel six_hosts() {
    ClusterModel cluster;
    for (std::int64_t rank = 0; rank < 6; ++rank) {
        cluster.nodes.push_back({.host = rank});
        cluster.hosts.push_back({.link_bits_per_s = 800.0});
    }
    return cluster;
}

}  // namespace

TEST_CASE("each replica has a node in each stage") {
    const auto spec = two_replicas_of_three_stages();
    const auto cluster = six_hosts();
    const StageNodes nodes(spec, cluster);
    CHECK(nodes.stages() == 3);
    CHECK(nodes.ranks_of(0) == std::vector<std::int64_t>{0, 3});
    CHECK(nodes.ranks_of(2) == std::vector<std::int64_t>{2, 5});
}

TEST_CASE("the node with the least memory decides the room of its stage") {
    const auto spec = two_replicas_of_three_stages();
    auto cluster = six_hosts();
    const StageNodes nodes(spec, cluster);
    CHECK_FALSE(nodes.room_of(1));
    cluster.hosts[1].memory_bytes = 1000;
    CHECK(nodes.room_of(1) == 1000.0);
    cluster.hosts[4].memory_bytes = 1200;
    CHECK(nodes.room_of(1) == 1000.0);
    // Three nodes on a host have a third of its memory each.
    cluster.nodes[3].host = cluster.nodes[5].host = 4;
    CHECK(nodes.room_of(1) == 400.0);
    CHECK(nodes.room_of(0) == 400.0);
}

TEST_CASE("the slowest link to a neighbour in the same replica decides") {
    const auto spec = two_replicas_of_three_stages();
    auto cluster = six_hosts();
    const StageNodes nodes(spec, cluster);
    CHECK(nodes.link_seconds(1, 100.0) == Approx(1.0));
    cluster.hosts[5].link_bits_per_s = 80.0;  // of stage 2: a neighbour of stage 1 only
    CHECK(nodes.link_seconds(0, 100.0) == Approx(1.0));
    CHECK(nodes.link_seconds(1, 100.0) == Approx(10.0));
    CHECK(nodes.link_seconds(2, 100.0) == Approx(10.0));
    cluster.hosts[3].link_bits_per_s.reset();
    cluster.hosts[0].link_bits_per_s.reset();
    cluster.hosts[1].link_bits_per_s.reset();
    cluster.hosts[4].link_bits_per_s.reset();
    CHECK(nodes.link_seconds(0, 100.0) == 0.0);
}
