#include "strategy/cut_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace convoy {
namespace {

/// The dense layers of a network: by the name of their weights, the shape of these.
std::map<std::string, Shape> dense_weights(const Graph& graph) {
    std::map<std::string, Shape> weights;
    for (const auto& op : graph.operators) {
        if (op.kind != OperatorKind::matmul) continue;
        const auto& weight = graph.tensor(op.inputs.at(1));
        weights.emplace(weight.name, weight.shape);
    }
    return weights;
}

/// Why a layer cannot be cut; empty if it can.
std::string obstacle(const ExperimentSpec& spec, const Shape& shape) {
    if (shape[0] < spec.world_size())
        return fmt::format("has {} units for {} nodes", shape[0], spec.world_size());
    if (spec.gradient_clipping && spec.gradient_clipping->by == ClipBy::norm)
        return "cannot be cut with $.gradient_clipping.by \"norm\", which needs its whole gradient";
    return {};
}

bool sends_less(const ExperimentSpec& spec, const Shape& weight) {
    const Checked batch = spec.batch_size;
    return (batch * (Checked(weight[0]) + weight[1])).value() < weight.elements();
}

}  // namespace

TensorSlice units_of(std::int64_t units, std::int64_t rank, std::int64_t ranks) {
    const auto first = rank * (units / ranks) + std::min(rank, units % ranks);
    return {.axis = 0, .first = first, .count = units / ranks + (rank < units % ranks ? 1 : 0)};
}

std::vector<std::string> cut_weights(const ExperimentSpec& spec, const Graph& training) {
    const auto dense = dense_weights(training);
    std::vector<std::string> weights;
    if (spec.world_size() == 1) return weights;
    if (!spec.strategy.cut_layers) {
        for (const auto& [name, shape] : dense)
            if (sends_less(spec, shape) && obstacle(spec, shape).empty()) weights.push_back(name);
        return weights;
    }
    for (std::size_t i = 0; i < spec.strategy.cut_layers->size(); ++i) {
        const auto& layer = (*spec.strategy.cut_layers)[i];
        const auto refuse = [&](const std::string& why) {
            throw DataError(fmt::format("$.strategy.cut_layers[{}]: {} {}", i, layer, why));
        };
        const auto found = dense.find(layer + ".weight");
        if (found == dense.end()) refuse("is no dense layer of the network");
        const auto why = obstacle(spec, found->second);
        if (!why.empty()) refuse(why);
        weights.push_back(found->first);
    }
    return weights;
}

}  // namespace convoy
