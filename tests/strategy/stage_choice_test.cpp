#include "strategy/stage_choice.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <random>

#include "base/error.hpp"
#include "strategy/programs.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

/// A drawn network on drawn nodes: seconds of each layer on each node, bytes behind each layer, memory.
struct Drawn {
    std::vector<std::vector<double>> seconds;  // by stage and layer
    std::vector<double> bytes;                 // by layer: what crosses a cut behind it
    std::vector<double> memory;                // by layer
    std::vector<double> room;                  // by stage

    Drawn(std::mt19937& random, std::size_t layers, std::size_t stages) {
        std::uniform_real_distribution<double> draw(0.1, 1.0);
        const auto some = [&](std::size_t count) {
            std::vector<double> values(count);
            std::ranges::generate(values, [&] { return draw(random); });
            return values;
        };
        for (std::size_t stage = 0; stage < stages; ++stage) seconds.push_back(some(layers));
        bytes = some(layers);
        memory = some(layers);
        room = some(stages);
        for (auto& each : room) each *= 4.0;
    }

    [[nodiscard]] std::optional<double> of(std::size_t first, std::size_t end, std::size_t stage) const {
        double sum = 0.0, need = 0.0;
        for (auto layer = first; layer < end; ++layer) {
            sum += seconds[stage][layer];
            need += memory[layer];
        }
        if (need > room[stage]) return std::nullopt;
        if (first > 0) sum += bytes[first - 1];
        if (end < bytes.size()) sum += bytes[end - 1];
        return sum;
    }
};

constexpr double never = std::numeric_limits<double>::infinity();

/// The slowest stage of the best of all cuts of the layers from `first` on.
double brute_force(const Drawn& drawn, std::size_t first, std::size_t stage) {
    const auto layers = drawn.bytes.size();
    const auto own = [&](std::size_t end) { return drawn.of(first, end, stage).value_or(never); };
    if (stage + 1 == drawn.room.size()) return first < layers ? own(layers) : never;
    double best = never;
    for (auto end = first + 1; end < layers; ++end)
        best = std::min(best, std::max(own(end), brute_force(drawn, end, stage + 1)));
    return best;
}

ExperimentSpec split(std::int64_t stages) {
    ExperimentSpec spec;
    spec.model.name = "mnist_cnn";
    spec.nodes.resize(static_cast<std::size_t>(stages));
    spec.batch_size = 8;
    spec.strategy = {.name = StrategyName::model_split, .stages = {.layers = {}, .count = stages}};
    return spec;
}

/// 16 digits, of which nodes keep 784 bytes each.
DataShape few_digits() {
    return {.example = Shape{1, 28, 28},
            .classes = 10,
            .sizes = {.train = 16, .validation = 0, .test = 0},
            .example_bytes = 784};
}

}  // namespace

TEST_CASE("the best cut is the best of all cuts") {
    std::mt19937 random(7);
    int fit = 0, too_large = 0;
    for (int round = 0; round < 400; ++round) {
        const auto layers = 1 + random() % 8;
        const auto stages = 1 + random() % 4;
        const Drawn drawn(random, layers, stages);
        const auto expected = brute_force(drawn, 0, 0);
        const auto found = best_cut(layers, stages, [&](LayerRange range, std::size_t stage) {
            return drawn.of(range.first, range.end, stage);
        });
        REQUIRE(found.has_value() == (expected != never));
        if (!found) {
            ++too_large;
            continue;
        }
        ++fit;
        double slowest = 0.0;
        std::size_t first = 0;
        for (std::size_t stage = 0; stage < stages; ++stage) {
            REQUIRE(found->at(stage) > first);
            slowest = std::max(slowest, drawn.of(first, found->at(stage), stage).value_or(never));
            first = found->at(stage);
        }
        CHECK(first == layers);
        CHECK(slowest == Approx(expected));
    }
    CHECK(fit > 50);
    CHECK(too_large > 50);
}

TEST_CASE("a chosen cut has all layers in order, and a faster node gets more of them") {
    auto spec = split(3);
    const auto graph = mnist_cnn();
    auto cluster = cluster_model(spec);
    const auto stages = chosen_stages(spec, few_digits(), graph, cluster);
    Lines all;
    for (const auto& stage : stages) all = all + stage;
    CHECK(stages.size() == 3);
    CHECK(all == Lines{"conv2d_1", "conv2d_2", "max_pool_1", "dropout_1", "flatten_1", "dense_1", "dropout_2",
                       "dense_2"});

    // The second convolution has nearly all FLOPs. The first node is too slow for it, then the last is.
    spec = split(2);
    cluster = cluster_model(spec);
    const auto at_speeds = [&](double first, double second) {
        for (std::size_t rank = 0; rank < 2; ++rank) {
            const auto speed = rank == 0 ? first : second;
            cluster.nodes[rank].speeds = {.convolution_gflops = speed,
                                          .filter_gradient_gflops = speed,
                                          .input_gradient_gflops = speed,
                                          .matmul_gflops = speed,
                                          .elementwise_gb_s = speed};
        }
        return chosen_stages(spec, few_digits(), graph, cluster);
    };
    CHECK(at_speeds(1.0, 100.0)[0] == Lines{"conv2d_1"});
    CHECK(at_speeds(100.0, 1.0)[0].size() >= 5);
}

TEST_CASE("a cut keeps within the memory of each host") {
    auto spec = split(2);
    const auto graph = mnist_cnn();
    auto cluster = cluster_model(spec);
    cluster.hosts = {{}, {}};
    cluster.nodes[0].host = 0;
    cluster.nodes[1].host = 1;
    // dense_1 has 1,179,648 weights: 9.4 MB with their gradients
    cluster.hosts[1].memory_bytes = 5'000'000;
    const auto stages = chosen_stages(spec, few_digits(), graph, cluster);
    CHECK(std::ranges::count(stages[0], "dense_1") == 1);
    cluster.hosts[0].memory_bytes = 5'000'000;
    CHECK_THROWS_WITH(chosen_stages(spec, few_digits(), graph, cluster), Catch::Contains("fits the memory"));
    auto many = split(9);
    CHECK_THROWS_WITH(chosen_stages(many, few_digits(), graph, cluster_model(many)),
                      Catch::Contains("has 8 layers"));
}

TEST_CASE("the stage that reads the data has less room for layers") {
    auto spec = split(2);
    const auto graph = mnist_cnn();
    auto cluster = cluster_model(spec);
    cluster.hosts = {{}, {}};
    cluster.nodes[1].host = 1;
    cluster.hosts[0].memory_bytes = 20'000'000;
    // The second node is so slow that it gets as few layers as it can.
    constexpr double slow = 1e-3;
    cluster.nodes[1].speeds = {.convolution_gflops = slow,
                               .filter_gradient_gflops = slow,
                               .input_gradient_gflops = slow,
                               .matmul_gflops = slow,
                               .elementwise_gb_s = slow};
    const auto first_stage = [&](std::int64_t examples, bool cache) {
        auto data = few_digits();
        data.sizes.train = examples;
        spec.input_pipeline.cache = cache;
        return chosen_stages(spec, data, graph, cluster).at(0);
    };
    const auto has_dense = [](const std::vector<std::string>& layers) {
        return std::ranges::count(layers, "dense_1") == 1;
    };
    CHECK(has_dense(first_stage(16, true)));
    // dense_1 needs 14 MB, and 10,000 digits need 8 MB.
    CHECK_FALSE(has_dense(first_stage(10'000, true)));
    CHECK(has_dense(first_stage(10'000, false)));
    // Where no cut has room for the data, the layers alone decide.
    CHECK(has_dense(first_stage(30'000, true)));
    // Labels lie where the loss is, 4 bytes each.
    cluster.hosts[0].memory_bytes.reset();
    cluster.hosts[1].memory_bytes = 20'000'000;
    std::swap(cluster.nodes[0].speeds, cluster.nodes[1].speeds);
    CHECK_FALSE(has_dense(first_stage(10'000, true)));
    CHECK(has_dense(first_stage(2'000'000, false)));
}

TEST_CASE("the plan of a chosen cut says its layers, and is the plan of these layers") {
    auto spec = split(2);
    const auto stages = chosen_stages(spec, few_digits(), mnist_cnn(), cluster_model(spec));
    const auto chosen = plans_for(spec, mnist_cnn(), 16);
    CHECK(chosen[0].role == "stage 1 of 2, " + stages[0].front() + " to " + stages[0].back());
    spec.strategy.stages = {.layers = stages, .count = 0};
    const auto listed = plans_for(spec, mnist_cnn(), 16);
    for (std::size_t rank = 0; rank < 2; ++rank) CHECK(chosen[rank].programs == listed[rank].programs);
}

TEST_CASE(
    "a greedy placement leaves a chain of layers on one node, so the chosen cut is predicted to be faster") {
    const auto spec = split(2);
    const auto graph = mnist_cnn();
    const auto [chosen_s, greedy_s] = predicted_stages(spec, few_digits(), graph, cluster_model(spec));
    const auto alone = split(1);
    CHECK(greedy_s == Approx(predicted_stages(alone, few_digits(), graph, cluster_model(alone)).chosen_s));
    CHECK(chosen_s < greedy_s);
    CHECK(chosen_s > 0.5 * greedy_s);
}

TEST_CASE("a greedy placement takes the node that ends a layer first") {
    auto spec = split(2);
    spec.cluster = ClusterSpec{.hosts = 2, .own_limits = {HostSpec{.cpu = 0.25}, HostSpec{.cpu = 1.0}}};
    const auto graph = mnist_cnn();
    auto fast = split(1);
    CHECK(predicted_stages(spec, few_digits(), graph, cluster_model(spec)).greedy_s ==
          Approx(predicted_stages(fast, few_digits(), graph, cluster_model(fast)).chosen_s));
}

TEST_CASE("the slowest node of a stage decides, in whichever replica it is") {
    auto spec = split(2);
    spec.nodes.resize(4);
    spec.strategy.replicas = 2;
    const auto layers_of_first = [&](std::vector<double> cores) {
        spec.cluster = ClusterSpec{.hosts = 4};
        for (const auto each : cores) spec.cluster->own_limits.push_back(HostSpec{.cpu = each});
        return chosen_stages(spec, few_digits(), mnist_cnn(), cluster_model(spec)).at(0).size();
    };
    CHECK(layers_of_first({1.0, 1.0, 0.02, 1.0}) < layers_of_first({1.0, 1.0, 1.0, 1.0}));
    CHECK(layers_of_first({0.02, 1.0, 1.0, 1.0}) == layers_of_first({1.0, 1.0, 0.02, 1.0}));
}
