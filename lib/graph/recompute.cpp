#include "graph/recompute.hpp"

#include <map>
#include <utility>

namespace convoy {
namespace {

/// The operator that gives a normalisation's result once more.
Operator again(Graph& graph, const Operator& norm) {
    TensorInfo info = graph.tensor(norm.outputs[0]);
    info.name += "/again";
    return {OperatorKind::recompute_batch_norm,
            norm.name,
            Pass::backward,
            {norm.inputs[0], norm.inputs[1], norm.inputs[2], norm.outputs[1], norm.outputs[2]},
            {graph.add_tensor(std::move(info))},
            norm.attributes,
            {}};
}

}  // namespace

void recompute_batch_norms(Graph& graph) {
    std::map<TensorId, Operator> written;     // by result: the normalisations of the forward pass
    std::map<TensorId, TensorId> recomputed;  // what the backward pass reads instead
    std::vector<Operator> operators;
    for (auto& op : graph.operators) {
        if (op.kind == OperatorKind::batch_norm || op.kind == OperatorKind::fused_batch_norm)
            written.emplace(op.outputs[0], op);
        if (op.pass == Pass::backward) {
            for (auto& input : op.inputs) {
                const auto norm = written.find(input);
                if (norm == written.end()) continue;
                if (!recomputed.contains(input)) {
                    operators.push_back(again(graph, norm->second));
                    recomputed.emplace(input, operators.back().outputs[0]);
                }
                input = recomputed.at(input);
            }
        }
        operators.push_back(std::move(op));
    }
    graph.operators = std::move(operators);
}

}  // namespace convoy
