#include "strategy/tuning.hpp"

#include <utility>
#include <vector>

#include "graph/fusion.hpp"
#include "graph/recompute.hpp"

namespace convoy {
namespace {

/// Whether `wait` ends what `start` begins.
bool belong_together(const Operator& start, const Operator& wait) {
    return start.kind == OperatorKind::exchange_start && wait.kind == OperatorKind::exchange_wait &&
           start.name == wait.name && start.attributes == wait.attributes;
}

void join_exchanges(std::vector<Operator>& operators) {
    std::vector<Operator> joined;
    for (auto& op : operators) {
        if (!joined.empty() && belong_together(joined.back(), op)) {
            joined.back().kind = OperatorKind::exchange;
        } else {
            joined.push_back(std::move(op));
        }
    }
    operators = std::move(joined);
}

}  // namespace

void tune(Program& program, const KernelSpec& kernels) {
    join_exchanges(program.operators);
    if (kernels.fusion) fuse(program.operators, program.tensors);
    if (kernels.recompute) recompute_batch_norms(program.operators, program.tensors);
}

}  // namespace convoy
