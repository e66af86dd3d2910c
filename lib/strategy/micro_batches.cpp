#include "strategy/micro_batches.hpp"

#include <algorithm>

#include "strategy/buckets.hpp"

namespace convoy {
namespace {

Operator on_sums(OperatorKind kind, const Program& program, const Bucket& bucket,
                 const StrategySpec& strategy) {
    auto op = communicate(program, kind, bucket, strategy);
    if (kind == OperatorKind::accumulate || kind == OperatorKind::take_sums) {
        op.attributes = {};
    } else {
        auto& collective = std::get<CollectiveAttributes>(op.attributes);
        collective.exact = true;
        collective.options.algorithm =
            algorithm_for(bucket, strategy, program.world_size, sizeof(std::int64_t));
    }
    return op;
}

}  // namespace

std::vector<std::int64_t> micro_batches_of(std::int64_t share, std::int64_t micro_batch_size) {
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(share / micro_batch_size), micro_batch_size);
    if (share % micro_batch_size > 0 || share == 0) sizes.push_back(share % micro_batch_size);
    return sizes;
}

Program gradients_program(const Graph& training, const StrategySpec& strategy, const Placement& placement) {
    auto program = instantiate(training, ProgramKind::gradients, placement);
    plan_buckets(program, strategy);
    auto compute = split_step(program).compute;
    if (program.batch == 0) {
        std::erase_if(compute, [](const Operator& op) { return op.kind != OperatorKind::dataset; });
        program.operators = std::move(compute);
        return program;
    }
    program.operators = behind_buckets(program, std::move(compute), [&](const Bucket& bucket) {
        return on_sums(OperatorKind::accumulate, program, bucket, strategy);
    });
    return program;
}

Program update_program(const Graph& training, const StrategySpec& strategy, const Placement& placement) {
    auto program = instantiate(training, ProgramKind::update, placement);
    plan_buckets(program, strategy);
    const auto updates = split_step(program).updates;
    std::vector<Operator> operators;
    const bool alone = program.world_size == 1;
    for (const auto& bucket : program.buckets) {
        if (alone) break;
        operators.push_back(on_sums(OperatorKind::all_reduce_start, program, bucket, strategy));
    }
    const auto complete = [&](const Bucket& bucket) {
        std::vector<Operator> sums;
        if (!alone) sums.push_back(on_sums(OperatorKind::all_reduce_wait, program, bucket, strategy));
        sums.push_back(on_sums(OperatorKind::take_sums, program, bucket, strategy));
        return sums;
    };
    std::ranges::move(behind_sums(program, updates, complete), std::back_inserter(operators));
    program.operators = std::move(operators);
    return program;
}

}  // namespace convoy
