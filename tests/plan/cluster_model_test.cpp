#include "plan/cluster_model.hpp"

#include <catch2/catch.hpp>

#include "exchange/all_reduce_schedule.hpp"

using namespace convoy;
using Algorithm = AllReduceAlgorithm;

namespace {

ExperimentSpec two_unlike_hosts() {
    ExperimentSpec spec;
    spec.nodes = {{.threads = 2, .host = 1}, {.host = 0}, {.host = 1}};
    spec.cluster = ClusterSpec{.hosts = 2,
                               .link_mbit = 1000.0,
                               .own_limits = {{.cpu = 1.5, .memory_mb = 200}, {.link_mbit = 100.0}}};
    return spec;
}

CalibrationSpec measured() {
    return {.hosts = 2,
            .nodes = {{.host = 1, .threads = 2, .speeds = {.matmul_gflops = 10.0}},
                      {.host = 0, .threads = 1, .speeds = {.matmul_gflops = 30.0}},
                      {.host = 1, .threads = 1, .speeds = {.elementwise_gb_s = 4.0}}},
            .links = {{.from = 0, .to = 1, .mbit = 95.0, .latency_us = 60.0},
                      {.from = 1, .to = 1, .mbit = 20000.0, .latency_us = 15.0}},
            .all_reduce = {{3, 4096, Algorithm::tree}, {3, std::nullopt, Algorithm::ring}}};
}

}  // namespace

TEST_CASE("without a calibration the cluster is what the spec says") {
    const auto model = cluster_model(two_unlike_hosts());
    CHECK(model.nodes == std::vector<NodeModel>{{.host = 1, .threads = 2}, {.host = 0}, {.host = 1}});
    CHECK(model.hosts ==
          std::vector<HostModel>{{.link_bits_per_s = 1e9, .cores = 1.5, .memory_bytes = 200'000'000},
                                 {.link_bits_per_s = 1e8}});
    CHECK(link_between(model, 0, 1) == LinkModel{.bits_per_s = 1e8});
    CHECK(link_between(model, 1, 0) == LinkModel{.bits_per_s = 1e8});
    CHECK(link_between(model, 0, 2) == LinkModel{});

    const auto side_by_side = cluster_model(ExperimentSpec{});
    CHECK(side_by_side.nodes == std::vector<NodeModel>{{}});
    CHECK(side_by_side.hosts == std::vector<HostModel>{{}});
}

TEST_CASE("a calibration adds speeds, threads and links") {
    auto spec = two_unlike_hosts();
    spec.calibration = measured();
    const auto model = cluster_model(spec);
    CHECK(model.nodes[0] == NodeModel{.host = 1, .threads = 2, .speeds = {.matmul_gflops = 10.0}});
    CHECK(model.nodes[1] == NodeModel{.host = 0, .threads = 1, .speeds = {.matmul_gflops = 30.0}});
    CHECK(model.nodes[2].speeds.elementwise_gb_s == 4.0);
    const auto between = link_between(model, 1, 2);
    CHECK(between.bits_per_s.value() == Approx(95e6));
    CHECK(between.latency_s.value() == Approx(60e-6));
    CHECK(link_between(model, 2, 0).bits_per_s.value() == Approx(2e10));
}

TEST_CASE("what was measured with other numbers of nodes or hosts is not taken") {
    auto spec = two_unlike_hosts();
    spec.calibration = measured();
    spec.nodes.pop_back();
    auto model = cluster_model(spec);
    CHECK(model.nodes[1] == NodeModel{.host = 0});
    CHECK(model.links.size() == 2);
    spec.cluster->hosts = 1;
    spec.cluster->own_limits.clear();
    spec.nodes = {{}, {}};
    model = cluster_model(spec);
    CHECK(model.links.empty());
}

TEST_CASE("sums go by the measured algorithm for their nodes and size, else by the usual one") {
    auto spec = two_unlike_hosts();
    spec.calibration = measured();
    auto model = cluster_model(spec);
    CHECK(algorithm_for(model, 4096, 3) == Algorithm::tree);
    CHECK(algorithm_for(model, 4097, 3) == Algorithm::ring);
    for (const std::int64_t bytes : {1, 100'000, 10'000'000}) {
        CHECK(algorithm_for(model, bytes, 2) == choose_algorithm(bytes, 2));
        CHECK(algorithm_for(cluster_model(two_unlike_hosts()), bytes, 3) == choose_algorithm(bytes, 3));
    }
    // The strategy's own table stands before it, where it says anything.
    spec.strategy.calibration = AllReduceCalibration{
        .nodes = 3, .ranges = {{100, Algorithm::pairwise}}, .beyond = Algorithm::automatic};
    model = cluster_model(spec);
    CHECK(algorithm_for(model, 100, 3) == Algorithm::pairwise);
    CHECK(algorithm_for(model, 101, 3) == choose_algorithm(101, 3));
}
