#include "strategy/kernel_shares.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "nn/network.hpp"
#include "nn/zoo.hpp"
#include "strategy/programs.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

using Counts = std::vector<std::int64_t>;

/// Every way to give kernels to ranks, the master at least one.
void for_all_counts(std::int64_t kernels, std::size_t ranks, const std::function<void(const Counts&)>& see,
                    Counts counts = {}) {
    if (counts.size() + 1 == ranks) {
        counts.push_back(kernels);
        if (counts.front() > 0) see(counts);
        return;
    }
    for (std::int64_t own = 0; own <= kernels; ++own) {
        auto next = counts;
        next.push_back(own);
        for_all_counts(kernels - own, ranks, see, std::move(next));
    }
}

double least_by_trying_all(const ConvolutionWork& work, const std::vector<KernelCost>& ranks) {
    auto least = std::numeric_limits<double>::infinity();
    for_all_counts(work.kernels, ranks.size(), [&](const Counts& counts) {
        least = std::min(least, predicted_seconds(work, ranks, counts));
    });
    return least;
}

ExperimentSpec sharing(SharesSpec shares, bool calibrated) {
    auto spec = spec_for(3, 8, {.name = StrategyName::filter_parallel, .shares = std::move(shares)});
    if (!calibrated) return spec;
    CalibrationSpec calibration{.hosts = 1};
    for (const double speed : {40.0, 20.0, 20.0})
        calibration.nodes.push_back({.speeds = {.convolution_gflops = speed}});
    spec.calibration = calibration;
    return spec;
}

KernelCounts counts_of(const ExperimentSpec& spec, const Graph& graph = mnist_cnn()) {
    return kernel_counts(spec, graph, cluster_model(spec), spec.batch_size);
}

std::string refusal_of(const ExperimentSpec& spec) {
    try {
        counts_of(spec);
    } catch (const DataError& error) {
        return error.what();
    }
    return "nothing";
}

}  // namespace

TEST_CASE("an input goes once over the slowest link of the chain, results once from each rank") {
    const ConvolutionWork work{.kernels = 10, .input_bytes = 100, .channel_bytes = 7};
    const std::vector<KernelCost> ranks{{.seconds = 1.0},
                                        {.seconds = 1.0, .bytes_per_s = 10.0, .chain_bytes_per_s = 40.0},
                                        {.seconds = 1.0, .bytes_per_s = 20.0, .chain_bytes_per_s = 8.0}};
    // the chain: 200 bytes at 8 a second; then 2 x 7 x 3 bytes at 10, 2 x 7 x 2 bytes at 20
    CHECK(predicted_seconds(work, ranks, Counts{5, 3, 2}) == Approx(25.0 + 4.2 + 1.4 + 5.0));
    auto in_parts = work;
    in_parts.sub_batches = 5;
    CHECK(predicted_seconds(in_parts, ranks, Counts{5, 3, 2}) == Approx(25.0 + (4.2 + 1.4 + 5.0) / 5));
    CHECK(predicted_seconds(in_parts, ranks, Counts{10, 0, 0}) == Approx(10.0));
}

TEST_CASE("the predicted time has all transfers and the slowest computation") {
    const ConvolutionWork work{.kernels = 10, .input_bytes = 100, .channel_bytes = 7};
    const std::vector<KernelCost> ranks{
        {.seconds = 1.0}, {.seconds = 2.0, .bytes_per_s = 10.0, .chain_bytes_per_s = 10.0}, {.seconds = 5.0}};
    // rank 1: the input and its gradient, 200 bytes; 2 channels twice, 28 bytes
    CHECK(predicted_seconds(work, ranks, Counts{7, 2, 1}) == Approx(22.8 + 7.0));
    auto first_layer = work;
    first_layer.input_gradient = false;
    CHECK(predicted_seconds(first_layer, ranks, Counts{7, 2, 1}) == Approx(12.8 + 7.0));
    CHECK(predicted_seconds(work, ranks, Counts{10, 0, 0}) == Approx(10.0));
}

TEST_CASE("no other counts have a shorter predicted time, for any speeds, where all links are alike") {
    const RandomStream random(11, RandomPurpose::shuffle, 0, 0);
    for (std::uint32_t i = 0; i < 60; ++i) {
        const auto draw = [&](std::uint32_t element) { return random.uniform(i, element); };
        const ConvolutionWork work{.kernels = 2 + static_cast<std::int64_t>(draw(0) * 14),
                                   .input_bytes = draw(1) * 4.0,
                                   .channel_bytes = draw(2),
                                   .input_gradient = draw(3) < 0.5,
                                   .sub_batches = 1 + static_cast<std::int64_t>(draw(15) * 3),
                                   .block = 1 + static_cast<std::int64_t>(draw(16) * 4)};
        std::vector<KernelCost> ranks{{.seconds = 0.5 + draw(4)}};
        for (std::uint32_t rank = 1; rank < 4; ++rank)
            ranks.push_back({.seconds = 0.2 + 2.0 * draw(4 + rank),
                             .bytes_per_s = 1.0 + 20.0 * draw(14),
                             .chain_bytes_per_s = 1.0 + 20.0 * draw(14)});
        const auto counts = optimal_counts(work, ranks);
        INFO("draw " << i);
        CHECK(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) == work.kernels);
        CHECK(predicted_seconds(work, ranks, counts) == Approx(least_by_trying_all(work, ranks)));
    }
}

TEST_CASE("ranks have whole blocks of kernels, but for one where kernels are no whole blocks") {
    const std::vector<KernelCost> ranks{
        {.seconds = 1.0}, {.seconds = 1.0}, {.seconds = 2.0}, {.seconds = 2.0}};
    const ConvolutionWork work{.kernels = 500, .channel_bytes = 1.0, .block = 8};
    CHECK(predicted_seconds(work, ranks, Counts{165, 169, 84, 82}) == Approx(176.0));
    const auto counts = optimal_counts(work, ranks);
    CHECK(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) == 500);
    CHECK(std::ranges::count_if(counts, [](std::int64_t count) { return count % 8 != 0; }) == 1);
    CHECK(predicted_seconds(work, ranks, counts) == Approx(176.0));  // 168 have 62 of 63 blocks
    auto linked = ranks;
    for (auto& rank : linked) rank.bytes_per_s = rank.chain_bytes_per_s = 1e6;
    for (std::int64_t kernels = 41; kernels < 64; ++kernels) {
        const ConvolutionWork small{.kernels = kernels, .channel_bytes = 1.0, .block = 8};
        INFO(kernels);
        CHECK(predicted_seconds(small, linked, optimal_counts(small, linked)) ==
              Approx(least_by_trying_all(small, linked)));
    }
    CHECK(optimal_counts({.kernels = 8, .block = 8}, ranks) == Counts{8, 0, 0, 0});
    CHECK(optimal_counts({.kernels = 5, .block = 8}, ranks) == Counts{5, 0, 0, 0});
    CHECK(optimal_counts({.kernels = 12, .block = 8}, ranks) == Counts{8, 4, 0, 0});
}

TEST_CASE("a convolution whose transfers cost more than they save stays on the master") {
    const ConvolutionWork work{.kernels = 32, .input_bytes = 1e6, .channel_bytes = 1e4};
    CHECK(optimal_counts(
              work, std::vector<KernelCost>{
                        {.seconds = 1.0},
                        {.seconds = 1.0, .bytes_per_s = 1e4, .chain_bytes_per_s = 1e4}}) == Counts{32, 0});
    CHECK(optimal_counts(
              work, std::vector<KernelCost>{
                        {.seconds = 1.0},
                        {.seconds = 1.0, .bytes_per_s = 1e9, .chain_bytes_per_s = 1e9}}) == Counts{16, 16});
}

TEST_CASE("pooling behind a convolution counts among its work, and makes it worth sharing") {
    auto spec = sharing({.by = SharesBy::optimal}, true);
    spec.cluster = ClusterSpec{.link_mbit = 2.0};
    CHECK_FALSE(counts_of(spec).contains("conv2d_2.weight"));
    auto& nodes = std::get<CalibrationSpec>(*spec.calibration).nodes;
    for (auto& node : nodes) node.speeds.elementwise_gb_s = 1e-4;
    CHECK(counts_of(spec).contains("conv2d_2.weight"));
    // Pooling has a speed of its own, in this layer too.
    for (auto& node : nodes) node.speeds.elementwise_gb_s = 1e3;
    CHECK_FALSE(counts_of(spec).contains("conv2d_2.weight"));
    for (auto& node : nodes) node.speeds.pooling_gb_s = 1e-4;
    CHECK(counts_of(spec).contains("conv2d_2.weight"));
    for (auto& node : nodes) node.speeds.layers.push_back({.layer = "max_pool_1", .pooling_gb_s = 1e3});
    CHECK_FALSE(counts_of(spec).contains("conv2d_2.weight"));
}

TEST_CASE("kernels in proportion to weights are whole, and the master has at least one") {
    CHECK(proportional_counts(10, std::vector{1.0, 1.0, 1.0}) == Counts{4, 3, 3});
    CHECK(proportional_counts(64, std::vector{1.0, 1.0, 0.5, 0.5}) == Counts{21, 21, 11, 11});
    CHECK(proportional_counts(7, std::vector{1.0, 0.0, 2.0}) == Counts{2, 0, 5});
    CHECK(proportional_counts(5, std::vector{0.001, 1.0, 1.0}) == Counts{1, 2, 2});
}

TEST_CASE("shares follow from the calibration or from weights") {
    const auto published = counts_of(sharing({.by = SharesBy::published}, true));
    CHECK(published.at("conv2d_1.weight") == Counts{16, 8, 8});
    CHECK(published.at("conv2d_2.weight") == Counts{32, 16, 16});
    const auto by_hand = counts_of(sharing({.by = SharesBy::weights, .weights = {1.0, 0.0, 3.0}}, false));
    CHECK(by_hand.at("conv2d_2.weight") == Counts{16, 0, 48});
    // Links of one host cost nothing here, so the optimum is the proportion.
    CHECK(counts_of(sharing({}, true)).at("conv2d_2.weight") == Counts{32, 16, 16});
    CHECK(counts_of(sharing({.by = SharesBy::weights, .weights = {1.0, 0.0, 0.0}}, false)).empty());
}

TEST_CASE("nodes with oneDNN share whole blocks of 8 kernels, others single ones") {
    auto spec = sharing({}, true);
    auto& nodes = std::get<CalibrationSpec>(*spec.calibration).nodes;
    nodes[1].speeds.convolution_gflops = 25.0;
    const auto of_blocks = counts_of(spec).at("conv2d_2.weight");
    for (const auto count : of_blocks) CHECK(count % 8 == 0);
    spec.kernels = KernelSpec{.name = KernelLibrary::xtensor};
    CHECK(counts_of(spec).at("conv2d_2.weight") == Counts{30, 19, 15});
}

TEST_CASE("a layer's own speeds decide its shares, and those of no other layer") {
    auto spec = sharing({.by = SharesBy::published}, true);
    auto& master = std::get<CalibrationSpec>(*spec.calibration).nodes[0].speeds;
    master.layers = {{.layer = "conv2d_1", .convolution_gflops = 20.0}};
    const auto counts = counts_of(spec);
    // Gradients have no speed of their own here: all passes go at the speed of the forward pass.
    CHECK(counts.at("conv2d_1.weight") == Counts{11, 11, 10});
    CHECK(counts.at("conv2d_2.weight") == Counts{32, 16, 16});
}

TEST_CASE("a convolution with groups stays on the master") {
    auto graph = mnist_cnn();
    for (auto& op : graph.operators) {
        if (op.kind == OperatorKind::conv2d && op.name == "conv2d_1")
            std::get<WindowAttributes>(op.attributes).groups = 2;
    }
    const auto counts = counts_of(sharing({.by = SharesBy::weights, .weights = {1, 1, 1}}, false), graph);
    CHECK(counts.size() == 1);
    CHECK(counts.contains("conv2d_2.weight"));
}

TEST_CASE("a rule without speeds is refused, and so is clipping by each norm") {
    const auto message = refusal_of(sharing({}, false));
    CHECK(message.starts_with("$.strategy.shares: \"optimal\" needs the speeds of the nodes"));
    CHECK(message.find("convoy calibrate") != std::string::npos);
    auto clipped = sharing({.by = SharesBy::weights, .weights = {1, 1, 1}}, false);
    clipped.gradient_clipping = {.by = ClipBy::norm, .limit = 1.0};
    CHECK(refusal_of(clipped).starts_with("$.gradient_clipping.by"));
}
