#include "strategy/ring_allreduce.hpp"

#include <algorithm>

#include "strategy/buckets.hpp"
#include "strategy/synchronised_batch_norm.hpp"

namespace convoy {
namespace {

/// Forward and backward give way to zeros in all that is summed over the ranks, in the order in which the
/// others write it. What stays is the batch, sums in the midst of the step, and statistics that come of them.
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

}  // namespace

void insert_all_reduce(Program& program, const StrategySpec& strategy,
                       std::span<const std::int64_t> examples) {
    if (program.world_size == 1) return;
    plan_buckets(program, strategy);
    if (strategy.batch_norm_statistics == BatchNormStatistics::synchronised)
        synchronise_batch_norm(program, strategy, examples);
    auto [compute, updates] = split_step(program);
    if (program.batch == 0) compute = zeros_for(program, std::move(compute));

    const auto start = [&](const Bucket& bucket) {
        return communicate(program, OperatorKind::all_reduce_start, bucket, strategy);
    };
    std::vector<Operator> operators;
    if (strategy.overlap) {
        operators = behind_buckets(program, std::move(compute), start);
    } else {
        operators = std::move(compute);
        for (const auto& bucket : program.buckets) {
            if (holds_gradients(bucket)) operators.push_back(start(bucket));
        }
    }
    std::ranges::move(behind_sums(program, updates,
                                  [&](const Bucket& bucket) {
                                      return std::vector{communicate(program, OperatorKind::all_reduce_wait,
                                                                     bucket, strategy)};
                                  }),
                      std::back_inserter(operators));
    program.operators = std::move(operators);
}

}  // namespace convoy
