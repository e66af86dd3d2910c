#include "strategy/tuning.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <iterator>

#include "nn/network.hpp"
#include "nn/zoo.hpp"
#include "strategy/buckets.hpp"
#include "strategy/programs.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

Graph resnet() {
    const auto model = resolve_model({.name = "resnet_v2", .input = {}, .layers = {}, .depth = 11});
    return training_graph(model, Sgd{}, model.input, 10);
}

/// Places of the operators that write a tensor of the bucket.
std::vector<std::ptrdiff_t> writers(const Program& program, const Bucket& bucket) {
    std::vector<std::ptrdiff_t> places;
    for (std::size_t i = 0; i < program.operators.size(); ++i) {
        const auto& op = program.operators[i];
        const auto in_bucket = [&](TensorId id) { return std::ranges::count(bucket.tensors, id) > 0; };
        if (op.pass == Pass::backward && std::ranges::any_of(op.outputs, in_bucket))
            places.push_back(static_cast<std::ptrdiff_t>(i));
    }
    return places;
}

std::ptrdiff_t place_of(const Program& program, OperatorKind kind, const std::string& name) {
    const auto found = std::ranges::find_if(
        program.operators, [&](const Operator& op) { return op.kind == kind && op.name == name; });
    REQUIRE(found != program.operators.end());
    return found - program.operators.begin();
}

}  // namespace

TEST_CASE("behind fusion each exchange still begins when its bucket is complete, and no later") {
    const auto statistics = GENERATE(BatchNormStatistics::per_node, BatchNormStatistics::synchronised);
    const auto bucketing = GENERATE(Bucketing::by_size, Bucketing::per_tensor);
    const StrategySpec strategy{
        .bucketing = bucketing, .bucket_bytes = 4096, .batch_norm_statistics = statistics};
    for (const auto& program : compile_for({3, 2}, strategy, resnet())) {
        for (const auto& bucket : program.buckets) {
            if (!holds_gradients(bucket)) continue;
            const auto places = writers(program, bucket);
            const auto start =
                place_of(program, OperatorKind::exchange_start, program.tensor(bucket.storage).name);
            INFO(program.tensor(bucket.storage).name);
            REQUIRE(!places.empty());
            CHECK(places.back() < start);
            // Between the last gradient and the start stand only starts of other buckets.
            for (auto place = places.back() + 1; place < start; ++place)
                CHECK(program.operators[static_cast<std::size_t>(place)].kind ==
                      OperatorKind::exchange_start);
        }
    }
}

TEST_CASE("fusion and recomputation are the kernels' choice") {
    const auto kinds = [](const KernelSpec& kernels) {
        auto program = instantiate(resnet(), ProgramKind::train, {.batch = 2, .layout_batch = 2});
        tune(program, kernels);
        std::vector<OperatorKind> found;
        for (const auto& op : program.operators) found.push_back(op.kind);
        return found;
    };
    const auto count = [](const std::vector<OperatorKind>& all, OperatorKind kind) {
        return std::ranges::count(all, kind);
    };
    const auto plain = kinds({.fusion = false});
    CHECK(count(plain, OperatorKind::fused_conv2d) == 0);
    CHECK(count(plain, OperatorKind::recompute_batch_norm) == 0);
    const auto fused = kinds({.fusion = true, .recompute = true});
    CHECK(count(fused, OperatorKind::fused_conv2d) == count(plain, OperatorKind::conv2d));
    CHECK(count(fused, OperatorKind::recompute_batch_norm) > 0);
}

TEST_CASE("a tensor that another stage reads is not folded away") {
    // The cut lies between a convolution with its ReLU and the pooling behind.
    ExperimentSpec spec;
    spec.model.name = "mnist_cnn";
    spec.nodes.resize(2);
    spec.batch_size = 4;
    spec.strategy = {
        .name = StrategyName::model_split,
        .stages = {.layers = {{"conv2d_1", "conv2d_2"},
                              {"max_pool_1", "dropout_1", "flatten_1", "dense_1", "dropout_2", "dense_2"}}}};
    const auto plans = plans_for(spec, mnist_cnn(), 8);
    const auto& first = plans[0].programs.at(0);
    const auto& conv =
        first.operators[static_cast<std::size_t>(place_of(first, OperatorKind::fused_conv2d, "conv2d_2"))];
    CHECK(first.tensor(conv.outputs[0]).name == "conv2d_2/relu");
    CHECK(place_of(first, OperatorKind::pack, "conv2d_2/relu") > 0);
    CHECK(place_of(first, OperatorKind::relu_grad, "conv2d_2") > 0);
}
