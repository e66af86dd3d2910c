#include "bench/all_reduce_calibration.hpp"

#include <array>
#include <catch2/catch.hpp>

#include "spec/calibration_spec.hpp"

using namespace convoy;
using Algorithm = AllReduceAlgorithm;

TEST_CASE("each size has its fastest algorithm, and ranges end between sizes") {
    const std::array<std::int64_t, 4> sizes{1024, 4096, 65536, 1048576};
    const auto found = calibration_of(4, sizes,
                                      {{Algorithm::ring, {30, 30, 50, 100}},
                                       {Algorithm::recursive_doubling, {10, 20, 60, 300}},
                                       {Algorithm::pairwise, {20, 25, 40, 99}}});
    CHECK(found.nodes == 4);
    CHECK(found.ranges == std::vector<AlgorithmRange>{{16384, Algorithm::recursive_doubling}});
    CHECK(found.beyond == Algorithm::pairwise);
    CHECK(all_reduce_choices(found) == std::vector<AllReduceChoice>{{4, 16384, Algorithm::recursive_doubling},
                                                                    {4, std::nullopt, Algorithm::pairwise}});
}

TEST_CASE("a difference of noise does not end a range") {
    const std::array<std::int64_t, 3> sizes{1024, 4096, 16384};
    const auto ranges = [&](double ring) {
        return calibration_of(2, sizes, {{Algorithm::ring, {10, 10, ring}}, {Algorithm::tree, {20, 20, 10}}})
            .ranges;
    };
    CHECK(ranges(10.5).empty());
    CHECK(ranges(10.6) == std::vector<AlgorithmRange>{{8192, Algorithm::ring}});
}

TEST_CASE("without a calibration, automatic stays automatic") {
    CHECK(all_reduce_choices({}) == std::vector<AllReduceChoice>{{1, std::nullopt, Algorithm::automatic}});
}

TEST_CASE("a bench of a spec whose server has a host of its own has the hosts of the nodes only") {
    ExperimentSpec spec;
    spec.nodes.resize(2);
    spec.strategy = {.name = StrategyName::parameter_server, .servers = 1};
    spec.cluster = ClusterSpec{.hosts = 3, .own_limits = {{.cpu = 1.0}, {.cpu = 2.0}, {.cpu = 3.0}}};
    const auto bench = all_reduce_bench_spec(spec, {});
    CHECK(bench.host_count() == 2);
    CHECK(bench.cluster->own_limits == std::vector<HostSpec>{{.cpu = 1.0}, {.cpu = 2.0}});
    spec.cluster->hosts = 1;
    spec.cluster->own_limits.clear();
    CHECK(all_reduce_bench_spec(spec, {}).host_count() == 1);
}
