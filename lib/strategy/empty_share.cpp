#include "strategy/empty_share.hpp"

#include <utility>

namespace convoy {

std::vector<Operator> zeros_for(const Program& program, std::vector<Operator> compute) {
    std::vector<Operator> operators;
    for (auto& op : compute) {
        if (op.kind == OperatorKind::dataset || op.pass == Pass::communication ||
            op.kind == OperatorKind::batch_norm_statistics) {
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
    std::erase_if(program.operators, [](const Operator& op) { return op.kind != OperatorKind::dataset; });
}

}  // namespace convoy
