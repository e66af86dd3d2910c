#include "graph/clipping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "nn/network.hpp"
#include "support/fused.hpp"

using namespace convoy;
using namespace convoy::test;
using Lines = std::vector<std::string>;

namespace {

Graph small_network() {
    const ModelSpec model{.name = "inline",
                          .input = {2, 4, 4},
                          .layers = {{"conv", Conv2dLayer{.filters = 2, .kernel = 3, .l2 = 0.5}},
                                     {"flat", FlattenLayer{}},
                                     {"dense", DenseLayer{.units = 3, .activation = Activation::softmax}}}};
    return training_graph(model, Sgd{}, {2, 4, 4}, 3);
}

/// "Kind name: inputs -> outputs" of every update.
Lines updates(const Graph& graph) {
    Lines lines;
    for (const auto& op : graph.operators) {
        if (op.pass != Pass::update) continue;
        const auto names = [&](const std::vector<TensorId>& ids) {
            std::string text;
            for (const auto id : ids) text += " " + graph.tensor(id).name;
            return text;
        };
        lines.push_back(fmt::format("{} {}:{} ->{}", operator_name(op.kind), op.name, names(op.inputs),
                                    names(op.outputs)));
    }
    return lines;
}

const std::string apply = "ResourceApplyGradientDescent ";

}  // namespace

TEST_CASE("clipping by the global norm: one operator reads all gradients, behind it they are clipped") {
    auto graph = small_network();
    clip_gradients(graph, {ClipBy::global_norm, 0.25});
    graph = fused(std::move(graph));
    const auto clip = [](const std::string& name) {
        return "_ClipByGlobalNorm " + name + ": " + name + "/gradient gradient_norm -> " + name + "/gradient";
    };
    const auto update = [](const std::string& name) {
        return apply + name + ": " + name + " " + name + "/gradient -> " + name;
    };
    CHECK(updates(graph) ==
          Lines{"_FusedDecay conv.weight: conv.weight/gradient conv.weight -> conv.weight/gradient",
                "_GlobalNorm gradients: dense.weight/gradient dense.bias/gradient conv.weight/gradient "
                "conv.bias/gradient -> gradient_norm",
                clip("dense.weight"), update("dense.weight"), clip("dense.bias"), update("dense.bias"),
                clip("conv.weight"), update("conv.weight"), clip("conv.bias"), update("conv.bias")});
    for (const auto& op : graph.operators) {
        if (op.kind == OperatorKind::clip_by_global_norm) CHECK(op.as<ClipAttributes>().limit == 0.25);
        if (op.kind == OperatorKind::apply_gradient_descent) {
            CHECK(op.as<UpdateAttributes>().decay == 0.0);
            CHECK(op.folded.empty());
        }
        if (op.kind == OperatorKind::fused_decay) {
            CHECK(op.as<ScaleAttributes>().factor == 1.0);
            CHECK(op.folded == std::vector{OperatorKind::scale, OperatorKind::add_n});
        }
    }
}

TEST_CASE("unfused, the gradient with the penalty's part is what is clipped") {
    auto graph = small_network();
    clip_gradients(graph, {ClipBy::value, 0.25});
    const auto lines = updates(graph);
    const auto at = std::ranges::find(lines,
                                      "ClipByValue conv.weight: conv.weight/gradient_with_decay -> "
                                      "conv.weight/gradient_with_decay");
    REQUIRE(at != lines.end());
    CHECK((at - 1)->starts_with("AddN conv.weight"));
    CHECK((at + 1)->starts_with(apply + "conv.weight"));
}

TEST_CASE("by value or by each norm, an operator stands before each update") {
    auto graph = small_network();
    clip_gradients(graph, {ClipBy::norm, 0.25});
    graph = fused(std::move(graph));
    const auto lines = updates(graph);
    REQUIRE(lines.size() == 9);
    CHECK(lines[0] == "_ClipByNorm dense.weight: dense.weight/gradient -> dense.weight/gradient");
    CHECK(lines[1].starts_with(apply + "dense.weight"));
    CHECK(lines[4].starts_with("_FusedDecay conv.weight"));
    CHECK(lines[5].starts_with("_ClipByNorm conv.weight"));
    CHECK(lines[6].starts_with(apply + "conv.weight"));
}
