#include "strategy/local_sgd.hpp"

#include <algorithm>

#include "strategy/bucket_exchanges.hpp"
#include "strategy/buckets.hpp"
#include "strategy/empty_share.hpp"
#include "strategy/node_plan_builder.hpp"

namespace convoy {
void train_alone(Program& program) {
    program.averages_over = AveragesOver::own_examples;
    // A node without examples has nothing to learn from.
    if (program.batch == 0) keep_dataset_only(program);
}

Program weight_average(const Graph& training, const StrategySpec& strategy, const ClusterModel& cluster,
                       const Placement& placement, double part) {
    auto program = instantiate(training, ProgramKind::average, placement);
    plan_buckets(program, strategy);
    auto unrounded = strategy;
    unrounded.wire_type = WireType::float32;  // what is summed is kept, and not only a step's gradients
    const BucketParameters parameters(program);
    std::vector<Operator> operators;
    for (const auto& bucket : program.buckets) {
        copy_scaled(program, operators, parameters.of(bucket), &Parameter::value, &Parameter::gradient, part);
        operators.push_back(communicate(program, OperatorKind::exchange_start, bucket, unrounded, cluster));
    }
    for (const auto& bucket : program.buckets) {
        operators.push_back(communicate(program, OperatorKind::exchange_wait, bucket, unrounded, cluster));
        copy_scaled(program, operators, parameters.of(bucket), &Parameter::gradient, &Parameter::value, 1.0);
    }
    program.operators = std::move(operators);
    return program;
}

namespace {

/// A step for each split of the training batches, without exchanges. With buckets, gradients lie in them.
void add_steps_alone(NodePlanBuilder& plan, std::int64_t rank, bool buckets) {
    const auto& input = plan.input();
    for (const auto& split : input.data.train.splits()) {
        auto program = instantiate(input.training, ProgramKind::train,
                                   plan.placement(split.at(static_cast<std::size_t>(rank))));
        if (buckets) plan_buckets(program, plan.strategy());
        train_alone(program);
        const auto place = plan.add(std::move(program));
        plan.routine().steps.push_back({{place}, {place}});
    }
}

}  // namespace

NodePlan local_sgd_plan(const CompileInput& input, std::int64_t rank) {
    NodePlanBuilder plan(input, rank, "replica");
    plan.hold_all(Replication::start_alike);
    plan.average_statistics();
    add_steps_alone(plan, rank, true);
    auto& routine = plan.routine();
    if (input.ranks() > 1) {
        const auto average =
            plan.add(weight_average(input.training, plan.strategy(), input.cluster,
                                    plan.placement(plan.largest_share()), plan.part_in_means()));
        routine.average = {average};
        routine.average_every = plan.strategy().average_every;
        routine.before_evaluation.push_back(average);
    }
    plan.decide_layouts();
    plan.evaluate_shares();
    plan.sum_scores();
    return std::move(plan).done();
}

NodePlan independent_plan(const CompileInput& input, std::int64_t rank) {
    NodePlanBuilder plan(input, rank, "replica");
    plan.hold_all(Replication::start_alike);
    add_steps_alone(plan, rank, false);
    plan.decide_layouts();
    plan.evaluate_shares();
    plan.sum_scores();
    return std::move(plan).done();
}

}  // namespace convoy
