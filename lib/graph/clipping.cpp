#include "graph/clipping.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace convoy {
namespace {

OperatorKind kind_of(ClipBy by) {
    switch (by) {
        case ClipBy::global_norm: return OperatorKind::clip_by_global_norm;
        case ClipBy::norm: return OperatorKind::clip_by_norm;
        case ClipBy::value: return OperatorKind::clip_by_value;
    }
    throw InternalError("a way to clip without a case");
}

/// Takes the adding of the penalty's gradient out of an update, as an operator to stand before it.
Operator take_decay_out(Operator& update) {
    auto& attributes = std::get<UpdateAttributes>(update.attributes);
    const auto gradient = update.inputs[1];
    return {
        OperatorKind::fused_decay,       update.name, Pass::update,
        {gradient, update.inputs[0]},    {gradient},  ScaleAttributes{std::exchange(attributes.decay, 0.0)},
        std::exchange(update.folded, {})};
}

}  // namespace

void clip_gradients(Graph& graph, const GradientClipping& clipping) {
    const bool global = clipping.by == ClipBy::global_norm;
    Operator norm{OperatorKind::global_norm, "gradients", Pass::update, {}, {}, {}, {}};
    if (global) norm.outputs = {graph.add_tensor({"gradient_norm", {1}, TensorRole::gradient_norm, false})};

    std::vector<Operator> operators;
    std::vector<Operator> behind_norm;
    for (auto& op : graph.operators) {
        const auto* update = std::get_if<UpdateAttributes>(&op.attributes);
        if (update == nullptr) {
            operators.push_back(std::move(op));
            continue;
        }
        if (update->decay != 0.0) operators.push_back(take_decay_out(op));
        const auto gradient = op.inputs[1];
        norm.inputs.push_back(gradient);
        std::vector<TensorId> inputs{gradient};
        if (global) inputs.push_back(norm.outputs[0]);
        auto& updates = global ? behind_norm : operators;
        updates.push_back({kind_of(clipping.by),
                           op.name,
                           Pass::update,
                           std::move(inputs),
                           {gradient},
                           ClipAttributes{clipping.limit},
                           {}});
        updates.push_back(std::move(op));
    }
    if (global) operators.push_back(std::move(norm));
    std::ranges::move(behind_norm, std::back_inserter(operators));
    graph.operators = std::move(operators);
}

}  // namespace convoy
