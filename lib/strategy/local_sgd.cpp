#include "strategy/local_sgd.hpp"

#include <algorithm>

#include "strategy/buckets.hpp"

namespace convoy {
namespace {

/// to = factor from, for each parameter whose gradient lies in the bucket.
void copy_scaled(Program& program, std::vector<Operator>& operators, const Bucket& bucket,
                 TensorId Parameter::*from, TensorId Parameter::*to, double factor) {
    for (const auto& parameter : program.parameters) {
        if (!parameter.trained || std::ranges::count(bucket.tensors, parameter.gradient) == 0) continue;
        operators.push_back({OperatorKind::scale,
                             program.tensor(parameter.value).name,
                             Pass::communication,
                             {parameter.*from},
                             {parameter.*to},
                             ScaleAttributes{factor},
                             {}});
    }
}

}  // namespace

void train_alone(Program& program) {
    program.averages_over = AveragesOver::own_examples;
    // A node without examples has nothing to learn from.
    if (program.batch == 0)
        std::erase_if(program.operators, [](const Operator& op) { return op.kind != OperatorKind::dataset; });
}

Program weight_average(const Graph& training, const StrategySpec& strategy, const Placement& placement) {
    auto program = instantiate(training, ProgramKind::average, placement);
    plan_buckets(program, strategy);
    auto unrounded = strategy;
    unrounded.wire_type = WireType::float32;  // what is summed is kept, and not only a step's gradients
    const auto share = 1.0 / static_cast<double>(placement.world_size);
    std::vector<Operator> operators;
    for (const auto& bucket : program.buckets) {
        copy_scaled(program, operators, bucket, &Parameter::value, &Parameter::gradient, share);
        operators.push_back(communicate(program, OperatorKind::all_reduce_start, bucket, unrounded));
    }
    for (const auto& bucket : program.buckets) {
        operators.push_back(communicate(program, OperatorKind::all_reduce_wait, bucket, unrounded));
        copy_scaled(program, operators, bucket, &Parameter::gradient, &Parameter::value, 1.0);
    }
    program.operators = std::move(operators);
    return program;
}

}  // namespace convoy
