#include "graph/clipping.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>
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

}  // namespace

void clip_gradients(Graph& graph, const GradientClipping& clipping) {
    const bool global = clipping.by == ClipBy::global_norm;
    Operator norm{OperatorKind::global_norm, "gradients", Pass::update, {}, {}, {}, {}};
    if (global) norm.outputs = {graph.add_tensor({"gradient_norm", {1}, TensorRole::gradient_norm, false})};

    std::vector<Operator> operators;
    std::vector<Operator> behind_norm;
    for (auto& op : graph.operators) {
        if (!std::holds_alternative<UpdateAttributes>(op.attributes)) {
            operators.push_back(std::move(op));
            continue;
        }
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
