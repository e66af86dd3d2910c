#include "graph/recompute.hpp"

#include <map>
#include <utility>

namespace convoy {
namespace {

/// The operator that gives a normalisation's result once more.
Operator again(std::vector<TensorInfo>& tensors, const Operator& norm) {
    TensorInfo info = tensors.at(index(norm.outputs[0]));
    info.name += "/again";
    tensors.push_back(std::move(info));
    const bool applies = norm.kind == OperatorKind::batch_norm_apply;  // it reads its statistics
    const auto mean = applies ? norm.inputs.at(3) : norm.outputs.at(1);
    const auto variance = applies ? norm.inputs.at(4) : norm.outputs.at(2);
    return {OperatorKind::recompute_batch_norm,
            norm.name,
            Pass::backward,
            {norm.inputs[0], norm.inputs[1], norm.inputs[2], mean, variance},
            {static_cast<TensorId>(tensors.size() - 1)},
            norm.attributes,
            {}};
}

}  // namespace

void recompute_batch_norms(std::vector<Operator>& operators, std::vector<TensorInfo>& tensors) {
    std::map<TensorId, Operator> written;     // by result: the normalisations of the forward pass
    std::map<TensorId, TensorId> recomputed;  // what the backward pass reads instead
    for (auto& op : std::exchange(operators, {})) {
        if (op.kind == OperatorKind::batch_norm || op.kind == OperatorKind::fused_batch_norm ||
            op.kind == OperatorKind::batch_norm_apply)
            written.emplace(op.outputs[0], op);
        if (op.pass == Pass::backward) {
            for (auto& input : op.inputs) {
                const auto norm = written.find(input);
                if (norm == written.end()) continue;
                if (!recomputed.contains(input)) {
                    operators.push_back(again(tensors, norm->second));
                    recomputed.emplace(input, operators.back().outputs[0]);
                }
                input = recomputed.at(input);
            }
        }
        operators.push_back(std::move(op));
    }
}

}  // namespace convoy
