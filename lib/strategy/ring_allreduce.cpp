#include "strategy/ring_allreduce.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

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

/// The wait for a bucket's sum.
std::function<std::vector<Operator>(const Bucket&)> wait_for(const Program& program,
                                                             const StrategySpec& strategy) {
    return [&](const Bucket& bucket) {
        return std::vector{communicate(program, OperatorKind::all_reduce_wait, bucket, strategy)};
    };
}

/// Whether an operator reads a parameter whose gradient lies in the bucket, or writes into the bucket.
bool touches(const Program& program, const Bucket& bucket, const Operator& op) {
    const auto in_bucket = [&](TensorId id) { return std::ranges::count(bucket.tensors, id) > 0; };
    const auto reads = [&](TensorId id) {
        return std::ranges::any_of(program.parameters, [&](const Parameter& parameter) {
            return parameter.value == id && parameter.trained && in_bucket(parameter.gradient);
        });
    };
    return std::ranges::any_of(op.inputs, reads) || std::ranges::any_of(op.outputs, in_bucket);
}

/// The operators, with what the step before has left of each bucket right before the first that touches it.
std::vector<Operator> before_first_use(const Program& program, std::vector<Operator> operators,
                                       const StrategySpec& strategy, const std::vector<Operator>& updates) {
    std::vector<bool> done(program.buckets.size(), false);
    std::vector<Operator> result;
    for (auto& op : operators) {
        for (std::size_t i = 0; i < done.size(); ++i) {
            if (done[i] || !touches(program, program.buckets[i], op)) continue;
            done[i] = true;
            result.push_back(
                communicate(program, OperatorKind::all_reduce_wait, program.buckets[i], strategy));
            std::ranges::move(updates_of(program, program.buckets[i], updates), std::back_inserter(result));
        }
        result.push_back(std::move(op));
    }
    return result;
}

}  // namespace

bool carries_sums(const StrategySpec& strategy, std::int64_t world_size,
                  std::span<const Operator> operators) {
    return strategy.name == StrategyName::ring_allreduce && strategy.overlap && strategy.overlap_forward &&
           world_size > 1 && std::ranges::count(operators, OperatorKind::global_norm, &Operator::kind) == 0;
}

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
    program.carries_sums = carries_sums(strategy, program.world_size, updates);
    if (program.carries_sums) {
        operators = before_first_use(program, std::move(operators), strategy, updates);
    } else {
        std::ranges::move(behind_sums(program, updates, wait_for(program, strategy)),
                          std::back_inserter(operators));
    }
    program.operators = std::move(operators);
}

Program last_updates(const Graph& training, const StrategySpec& strategy, const Placement& placement) {
    auto program = instantiate(training, ProgramKind::update, placement);
    plan_buckets(program, strategy);
    program.operators = behind_sums(program, split_step(program).updates, wait_for(program, strategy));
    program.carries_sums = true;
    return program;
}

}  // namespace convoy
