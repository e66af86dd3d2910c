#include "graph/operator_cost.hpp"

#include <catch2/catch.hpp>

#include "base/checked.hpp"
#include "nn/network.hpp"
#include "nn/zoo.hpp"
#include "support/fused.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

ModelSpec resnet() {
    return resolve_model({.name = "resnet_v2", .input = {}, .layers = {}, .depth = 20});
}

/// All operators of a graph with so many examples.
OperatorCost cost(Graph graph, std::int64_t batch) {
    for (auto& tensor : graph.tensors) {
        if (tensor.batched) tensor.shape = tensor.shape.with_batch(batch);
    }
    OperatorCost sum;
    for (const auto& op : graph.operators) sum += operator_cost(op, graph.tensors);
    return sum;
}

}  // namespace

TEST_CASE("every operator of a residual network with a penalty costs something, fused or not") {
    const auto model = resnet();
    for (const bool fusion : {false, true}) {
        const auto graph = fused(training_graph(model, Adam{}, {3, 32, 32}, 10), fusion);
        for (const auto& op : graph.operators) {
            if (op.kind == OperatorKind::reshape || op.kind == OperatorKind::reshape_grad) continue;
            CAPTURE(operator_name(op.kind), op.name);
            const auto found = operator_cost(op, graph.tensors);
            CHECK((found.flops > 0) == (op.kind != OperatorKind::dataset));
            CHECK(found.read_bytes > 0);
            CHECK(found.written_bytes > 0);
        }
    }
}

TEST_CASE("fusion leaves the FLOPs as they are and saves traffic") {
    const auto model = resnet();
    const auto plain = cost(training_graph(model, Adam{}, {3, 32, 32}, 10), 4);
    const auto folded = cost(fused(training_graph(model, Adam{}, {3, 32, 32}, 10)), 4);
    CHECK(plain.flops == folded.flops);
    CHECK(plain.read_bytes > folded.read_bytes);
    CHECK(plain.written_bytes > folded.written_bytes);
}

TEST_CASE("work that 64 bits cannot count is an error that names the operator") {
    constexpr auto large = std::int64_t{1} << 40;
    const std::vector<TensorInfo> tensors{{"x", {8, large}}, {"w", {large, large}}, {"y", {8, large}}};
    const Operator product{
        OperatorKind::matmul, "dense_1", Pass::forward, {TensorId{0}, TensorId{1}}, {TensorId{2}},
        MatMulAttributes{},   {}};
    try {
        (void)operator_cost(product, tensors);
        FAIL("no error");
    } catch (const SizeError& error) {
        CHECK(std::string(error.what()).starts_with("MatMul of dense_1: "));
    }
    OperatorCost cost{.flops = std::int64_t{1} << 62};
    CHECK_THROWS_AS(cost += cost, SizeError);
}
