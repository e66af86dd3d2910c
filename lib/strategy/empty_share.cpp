#include "strategy/empty_share.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace convoy {

std::vector<Operator> zeros_for(const Program& program, std::vector<Operator> compute,
                                const OwnTensors& own) {
    std::vector<Operator> operators;
    const auto writes_own = [&](const Operator& op) {
        return std::ranges::any_of(op.outputs, [&](TensorId id) { return own.contains(id); });
    };
    bool takes_batch = false;
    for (auto& op : compute) {
        if (op.kind == OperatorKind::dataset && std::exchange(takes_batch, true)) continue;
        if (op.kind == OperatorKind::dataset || op.pass == Pass::communication ||
            op.kind == OperatorKind::batch_norm_statistics || writes_own(op)) {
            operators.push_back(std::move(op));
            continue;
        }
        for (const auto id : op.outputs) {
            const auto& tensor = program.tensor(id);
            if (tensor.role != TensorRole::gradient && tensor.role != TensorRole::bucket) continue;
            operators.push_back({OperatorKind::zeros_like, tensor.name, Pass::backward, {}, {id}, {}, {}});
        }
    }
    return operators;
}

void keep_dataset_only(Program& program) {
    const auto first = std::ranges::find(program.operators, OperatorKind::dataset, &Operator::kind);
    const auto end = first == program.operators.end() ? first : std::next(first);
    program.operators = std::vector(first, end);
}

}  // namespace convoy
