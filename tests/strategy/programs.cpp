#include "strategy/programs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "nn/network.hpp"
#include "nn/zoo.hpp"

namespace convoy::test {

Graph mnist_cnn(bool fusion) {
    const auto model = resolve_model({.name = "mnist_cnn", .input = {}, .layers = {}});
    return training_graph(model, Sgd{}, model.input, 10, fusion);
}

std::vector<Program> compile_for(const std::vector<std::int64_t>& shares, const StrategySpec& strategy,
                                 const Graph& graph) {
    return compile(strategy, graph, {.nodes = std::vector<ClusterNode>(shares.size())},
                   {.examples = shares, .layout_batch = *std::ranges::max_element(shares)});
}

std::vector<Program> compile_for(const std::vector<std::int64_t>& shares, const StrategySpec& strategy) {
    return compile_for(shares, strategy, mnist_cnn());
}

/// "Kind name" of every operator behind the forward pass.
Lines short_text(const Program& program) {
    Lines lines;
    for (const auto& op : program.operators) {
        if (op.pass == Pass::forward || op.pass == Pass::input) continue;
        lines.push_back(fmt::format("{} {}", operator_name(op.kind), op.name));
    }
    return lines;
}

Lines names(const Program& program, const Bucket& bucket) {
    Lines found;
    for (const auto id : bucket.tensors) found.push_back(program.tensor(id).name);
    return found;
}

const Lines updates_of_first{"ResourceApplyGradientDescent dense_2.weight",
                             "ResourceApplyGradientDescent dense_2.bias",
                             "ResourceApplyGradientDescent dense_1.weight"};
const Lines updates_of_second{
    "ResourceApplyGradientDescent dense_1.bias", "ResourceApplyGradientDescent conv2d_2.weight",
    "ResourceApplyGradientDescent conv2d_2.bias", "ResourceApplyGradientDescent conv2d_1.weight",
    "ResourceApplyGradientDescent conv2d_1.bias"};

Lines operator+(Lines left, const Lines& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

}  // namespace convoy::test
