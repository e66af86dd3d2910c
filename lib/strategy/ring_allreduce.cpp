#include "strategy/ring_allreduce.hpp"

#include <algorithm>

#include "strategy/buckets.hpp"

namespace convoy {
namespace {

/// Forward and backward give way to zeros in every gradient.
void replace_compute_by_zeros(const Program& program, std::vector<Operator>& compute) {
    std::erase_if(compute, [](const Operator& op) { return op.kind != OperatorKind::dataset; });
    for (const auto& bucket : program.buckets) {
        for (const auto id : bucket.tensors) {
            compute.push_back(
                {OperatorKind::zeros_like, program.tensor(id).name, Pass::backward, {}, {id}, {}, {}});
        }
    }
}

}  // namespace

void insert_all_reduce(Program& program, const StrategySpec& strategy) {
    if (program.world_size == 1) return;
    plan_buckets(program, strategy);
    auto [compute, updates] = split_step(program);
    if (program.batch == 0) replace_compute_by_zeros(program, compute);

    const auto start = [&](const Bucket& bucket) {
        return communicate(program, OperatorKind::all_reduce_start, bucket, strategy);
    };
    std::vector<Operator> operators;
    if (strategy.overlap) {
        operators = behind_buckets(program, std::move(compute), start);
    } else {
        operators = std::move(compute);
        std::ranges::transform(program.buckets, std::back_inserter(operators), start);
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
