#include "bench/cluster_calibration.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "bench/link_calibration.hpp"
#include "bench/node_speeds.hpp"
#include "spec/parse.hpp"

using namespace convoy;
using Algorithm = AllReduceAlgorithm;

namespace {

/// Records of a bench in which a sum of so many bytes takes so many microseconds.
template <typename Time>
NodeRecords records_of(const AllReduceBench& bench, const Time& time) {
    NodeRecords records;
    for (std::size_t i = 0; i < bench.sizes.size(); ++i) {
        StepRecord record;
        record.epoch = static_cast<std::int64_t>(i) + 1;
        record.step = 1;
        record.examples = record.correct = 1;
        record.step_us = time(bench.sizes[i]);
        records.steps.push_back(record);
    }
    return records;
}

ExperimentSpec spec_on(const ClusterSpec& cluster, std::size_t nodes) {
    ExperimentSpec spec;
    spec.dataset.name = "synthetic_digits";
    spec.model.name = "mnist_cnn";
    spec.nodes.resize(nodes);
    spec.batch_size = 64;
    spec.cluster = cluster;
    return spec;
}

}  // namespace

TEST_CASE("a link's rate and latency follow from a small and a large exchange") {
    const auto spec = spec_on(
        {.hosts = 3, .link_mbit = 1000.0, .own_limits = {{}, {.link_mbit = 100.0, .cpu = 0.5}, {}}}, 4);
    const auto measure = [](const ExperimentSpec& two, const AllReduceBench& bench) {
        // What is launched is a good spec.
        REQUIRE(parse_spec(to_json(two)) == two);
        REQUIRE(two.world_size() == 2);
        REQUIRE(bench.options.algorithm == Algorithm::recursive_doubling);
        REQUIRE(two.strategy.algorithm == Algorithm::recursive_doubling);
        double mbit = 1e4;
        for (std::int64_t host = 0; two.host_count() == 2 && host < 2; ++host)
            mbit = std::min(mbit, *two.cluster->host(host).link_mbit);
        return records_of(
            bench, [mbit](std::int64_t bytes) { return 50.0 + static_cast<double>(bytes - 4) * 8.0 / mbit; });
    };
    const auto links = calibrate_links(spec, measure);
    REQUIRE(links.size() == 4);  // ranks 0 and 1 share host 0
    const auto check = [](const LinkCalibration& link, std::int64_t from, std::int64_t to, double mbit) {
        CHECK(link.from == from);
        CHECK(link.to == to);
        CHECK(link.mbit == Approx(mbit));
        CHECK(link.latency_us == Approx(50.0));
    };
    check(links[0], 0, 0, 1e4);
    check(links[1], 0, 1, 100.0);
    check(links[2], 0, 2, 1000.0);
    check(links[3], 1, 2, 100.0);
}

TEST_CASE("of many hosts each is measured with its neighbours") {
    std::set<std::pair<std::int64_t, std::int64_t>> pairs;
    const auto measure = [](const ExperimentSpec&, const AllReduceBench& bench) {
        return records_of(bench, [](std::int64_t bytes) { return static_cast<double>(bytes); });
    };
    for (const auto& link : calibrate_links(spec_on({}, 8), measure)) pairs.emplace(link.from, link.to);
    CHECK(pairs == std::set<std::pair<std::int64_t, std::int64_t>>{
                       {0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {0, 7}});
}

TEST_CASE("each algorithm that may be best is measured on the nodes of the spec, and a wrong sum is a bug") {
    const auto spec = spec_on({.hosts = 2}, 4);
    std::set<Algorithm> measured;
    const auto measure = [&](const ExperimentSpec& nodes, const AllReduceBench& bench) {
        CHECK(nodes.nodes == spec.nodes);
        CHECK(nodes.cluster == spec.cluster);
        CHECK(nodes.strategy.algorithm == bench.options.algorithm);
        measured.insert(bench.options.algorithm);
        const bool best = bench.options.algorithm == Algorithm::hierarchical;
        return records_of(bench, [best](std::int64_t) { return best ? 1.0 : 2.0; });
    };
    const auto found = calibrate_all_reduce(spec, {.sizes = {1024, 4096}}, measure);
    CHECK(measured.size() == 6);
    CHECK(found == AllReduceCalibration{.nodes = 4, .ranges = {}, .beyond = Algorithm::hierarchical});
    const auto wrong = [&](const ExperimentSpec& nodes, const AllReduceBench& bench) {
        auto records = measure(nodes, bench);
        records.steps.back().correct = 0;
        return records;
    };
    CHECK_THROWS_AS(calibrate_all_reduce(spec, {.sizes = {1024}}, wrong), InternalError);
}

TEST_CASE("all nodes train for the time of the slowest, and for 3 s at least") {
    const auto training = [](double us) {
        OperatorRecord record;
        record.operator_name = "Training";
        record.total_us = us;
        return record;
    };
    const std::vector records{training(2e6), training(8e6), training(4e6)};
    CHECK(longest_training(records) == Seconds(8.0));
    CHECK(time_for_all(Seconds(8.0)) == Seconds(8.0));
    CHECK(time_for_all(Seconds(0.3)) == Seconds(3.0));
}

TEST_CASE("a quick node is measured for as long as a slow one") {
    auto spec = spec_on({.hosts = 2}, 2);
    std::vector<std::optional<Seconds>> asked;
    std::vector trainings_us{12e6, 18e6, 20e6};  // of the slow node, in one launch after another
    const auto measure = [&](const ExperimentSpec& nodes, const SpeedMeasurement& how) {
        CHECK(nodes == spec);
        CHECK(how.steps == 7);
        asked.push_back(how.time);
        MeasuredNodes measured{.records = {}, .threads = {1, 2}};
        for (std::int64_t rank = 0; rank < 2; ++rank) {
            OperatorRecord record;
            record.node = rank;
            record.kind = "conv2d";
            record.name = "conv2d_1";
            record.total_us = rank == 0 ? 2e6 : 6e6;
            record.work = WorkDone{.flops = how.time ? 6'000'000'000 : 1};
            measured.records.operators.push_back(record);
        }
        OperatorRecord training;
        training.node = 1;
        training.operator_name = "Training";
        training.total_us = trainings_us.at(asked.size() - 1);
        measured.records.operators.push_back(training);
        return measured;
    };
    const auto sums = [](const ExperimentSpec&, const AllReduceBench& bench) {
        return records_of(bench, [](std::int64_t bytes) { return static_cast<double>(bytes); });
    };
    const auto found = calibrate_cluster(
        spec,
        {.measure_nodes = measure, .measure_all_reduce = sums, .all_reduce = {.sizes = {1024}}, .steps = 7});
    // It took 18 s beside the quick node, which ended after 12: all are measured again.
    REQUIRE(asked.size() == 3);
    CHECK_FALSE(asked[0]);
    CHECK(asked[1] == Seconds(12.0));
    CHECK(asked[2] == Seconds(22.5));
    REQUIRE(found.nodes.size() == 2);
    CHECK(found.nodes[0].speeds.convolution_gflops.value() == Approx(3.0));
    CHECK(found.nodes[1].speeds.convolution_gflops.value() == Approx(1.0));
    CHECK(found.nodes[1].threads == 2);
}

TEST_CASE("a measurement of nodes that never take the same time ends after three tries, and says so") {
    std::vector<std::string> told;
    int launches = 0;
    const auto measure = [&](const ExperimentSpec&, const SpeedMeasurement&) {
        OperatorRecord training;
        training.operator_name = "Training";
        training.total_us = std::pow(2.0, ++launches) * 3e6;
        MeasuredNodes measured{.records = {}, .threads = {1, 1}};
        measured.records.operators.push_back(training);
        return measured;
    };
    const auto sums = [](const ExperimentSpec&, const AllReduceBench& bench) {
        return records_of(bench, [](std::int64_t bytes) { return static_cast<double>(bytes); });
    };
    const auto calibrate = [&](std::size_t nodes) {
        launches = 0;
        calibrate_cluster(spec_on({.hosts = 2}, nodes),
                          {.measure_nodes = measure,
                           .measure_all_reduce = sums,
                           .all_reduce = {.sizes = {1024}},
                           .steps = 7,
                           .tell = [&](const std::string& line) { told.push_back(line); }});
    };
    calibrate(2);
    CHECK(launches == 4);
    CHECK(std::ranges::count(told,
                             "a node trained longer than the others each time, and may seem too quick") == 1);
    calibrate(1);  // nobody trains beside it
    CHECK(launches == 2);
}

TEST_CASE("speeds are operations over time, of the node's own share") {
    auto spec = parse_spec(nlohmann::json::parse(R"({"dataset": {"name": "synthetic_digits"}, "batch_size": 7,
        "nodes": [{}, {"kernels": "xtensor"}], "kernels": {"fusion": true, "parameter_layout": "plain"},
        "model": {"input": [1, 28, 28], "layers": [
            {"type": "flatten"}, {"type": "dense", "units": 10, "activation": "softmax"}]}})"));
    const auto bench = bench_of_node(spec, 1, 1, 3);
    CHECK(bench.spec.batch_size == 3);
    CHECK(bench_of_node(spec, 0, 1, 3).spec.batch_size == 4);
    CHECK(bench.spec.kernels.name == KernelLibrary::xtensor);

    const auto row = [](const char* kind, std::int64_t flops, const char* name, double us) {
        OperatorRecord record;
        record.kind = kind;
        record.name = name;
        record.calls = 5;
        record.total_us = us;
        record.work = WorkDone{.flops = flops, .read_bytes = 0, .written_bytes = 0};
        return record;
    };
    // Forward and the weight's gradient; what is no product has no speed.
    const std::vector<OperatorRecord> rows{
        row("fused_matmul", 5 * 2 * 3 * 784 * 10, "dense_1", 100.0),
        row("matmul_backprop_weight", 5 * 2 * 3 * 784 * 10, "dense_2.weight", 300.0),
        row("softmax", 1'000'000'000, "softmax_1", 100.0)};
    const auto speeds = speeds_of(rows);
    CHECK(speeds.matmul_gflops.value() == Approx(5.0 * 2 * 2 * 3 * 784 * 10 / 400.0 * 1e-3));
    CHECK(speeds.convolution_gflops == std::nullopt);
    REQUIRE(speeds.layers.size() == 2);
    CHECK(speeds_in_layer(speeds, "dense_1").matmul_gflops.value() ==
          Approx(5.0 * 2 * 3 * 784 * 10 / 100.0 * 1e-3));
    CHECK(speeds_in_layer(speeds, "dense_2").matmul_gflops.value() ==
          Approx(5.0 * 2 * 3 * 784 * 10 / 300.0 * 1e-3));
    CHECK(speeds_in_layer(speeds, "dense_3").matmul_gflops == speeds.matmul_gflops);
    CHECK(speeds.elementwise_gb_s == std::nullopt);
}

TEST_CASE("the speed of pooling is that of its bytes, in each layer and in all") {
    const auto row = [](const char* kind, const char* name, std::int64_t bytes, double us) {
        OperatorRecord record;
        record.kind = kind;
        record.name = name;
        record.calls = 2;
        record.total_us = us;
        record.work = WorkDone{.flops = 7, .read_bytes = bytes / 2, .written_bytes = bytes / 2};
        return record;
    };
    const std::vector<OperatorRecord> rows{row("max_pool", "max_pool_1", 3'000'000, 1000.0),
                                           row("max_pool_grad", "max_pool_1", 1'000'000, 1000.0),
                                           row("average_pool", "average_pool_1", 4'000'000, 6000.0),
                                           row("relu_grad", "conv2d_1", 1'000'000, 10.0)};
    const auto speeds = speeds_of(rows);
    CHECK(speeds.pooling_gb_s.value() == Approx(1.0));
    REQUIRE(speeds.layers.size() == 2);
    CHECK(speeds_in_layer(speeds, "max_pool_1").pooling_gb_s.value() == Approx(2.0));
    CHECK(speeds_in_layer(speeds, "average_pool_1").pooling_gb_s.value() == Approx(4.0 / 6.0));
    CHECK(pooling_speed({.elementwise_gb_s = 3.0}) == 3.0);
    CHECK(pooling_speed({.elementwise_gb_s = 3.0, .pooling_gb_s = 2.0}) == 2.0);
}
