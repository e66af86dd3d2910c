#include "strategy/ring_allreduce.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "strategy/bucket_exchanges.hpp"
#include "strategy/buckets.hpp"
#include "strategy/empty_share.hpp"
#include "strategy/micro_batches.hpp"
#include "strategy/node_plan_builder.hpp"
#include "strategy/step_parts.hpp"
#include "strategy/synchronised_batch_norm.hpp"

namespace convoy {
namespace {

/// The wait for a bucket's sum.
std::function<std::vector<Operator>(const Bucket&)> wait_for(const Program& program,
                                                             const StrategySpec& strategy,
                                                             const ClusterModel& cluster) {
    return [&](const Bucket& bucket) {
        return std::vector{communicate(program, OperatorKind::exchange_wait, bucket, strategy, cluster)};
    };
}

/// Updates that complete the step before the one in which they run.
std::vector<Operator> of_step_before(std::vector<Operator> updates) {
    for (auto& update : updates) update.of_step_before = true;
    return updates;
}

}  // namespace

bool overlaps_forward(const StrategySpec& strategy, std::int64_t ranks, const Graph& training) {
    return strategy.overlap && strategy.overlap_forward && ranks > 1 && !needs_all_gradients(training);
}

void insert_all_reduce(Program& program, const StrategySpec& strategy, const ClusterModel& cluster,
                       std::span<const std::int64_t> examples, SumsEnd end, const OwnTensors& own) {
    if (program.world_size == 1) return;
    plan_buckets(program, strategy, own);
    if (strategy.batch_norm_statistics == BatchNormStatistics::synchronised)
        synchronise_batch_norm(program, strategy, cluster, examples);
    auto [compute, updates] = split_step(program);
    if (program.batch == 0) compute = zeros_for(program, std::move(compute), own);

    const auto start = [&](const Bucket& bucket) {
        return std::vector{communicate(program, OperatorKind::exchange_start, bucket, strategy, cluster)};
    };
    std::vector<Operator> operators;
    if (strategy.overlap) {
        operators = behind_buckets(program, std::move(compute), start);
    } else {
        operators = std::move(compute);
        for (const auto& bucket : program.buckets) {
            if (holds_gradients(bucket)) operators.push_back(start(bucket).front());
        }
    }
    switch (end) {
        case SumsEnd::in_step:
            std::ranges::move(
                behind_sums(program, strategy.commit, updates, wait_for(program, strategy, cluster)),
                std::back_inserter(operators));
            break;
        case SumsEnd::later: break;
        case SumsEnd::later_as_before:
            operators = before_first_use(
                program, std::move(operators),
                [&, own_updates = UpdatesByBucket(program, updates)](const Bucket& bucket) {
                    auto complete = wait_for(program, strategy, cluster)(bucket);
                    std::ranges::move(of_step_before(own_updates.of(bucket)), std::back_inserter(complete));
                    return complete;
                });
            break;
    }
    program.operators = std::move(operators);
}

Program last_updates(const Graph& training, const StrategySpec& strategy, const ClusterModel& cluster,
                     const Placement& placement) {
    auto program = instantiate(training, ProgramKind::update, placement);
    plan_buckets(program, strategy);
    program.operators = behind_sums(program, strategy.commit, of_step_before(split_step(program).updates),
                                    wait_for(program, strategy, cluster));
    return program;
}

// Moving statistics move in the forward pass, before a step is committed.
void require_whole_steps(const CompileInput& input) {
    const bool moves = std::ranges::any_of(input.training.parameters,
                                           [](const Parameter& parameter) { return !parameter.trained; });
    if (moves && input.spec.failures.policy == FailurePolicy::shrink)
        throw DataError(
            "$.failures.policy: found \"shrink\", expected \"restart\" with a network that has batch "
            "normalisation, whose moving statistics change within a step");
}

namespace {

/// A step for each split of the training batches.
void add_steps_with_sums(NodePlanBuilder& plan, std::int64_t rank) {
    const auto& input = plan.input();
    const bool carries = overlaps_forward(plan.strategy(), input.ranks(), input.training);
    const auto step = [&](const std::vector<std::int64_t>& split, SumsEnd end) {
        auto program = instantiate(input.training, ProgramKind::train,
                                   plan.placement(split.at(static_cast<std::size_t>(rank))));
        insert_all_reduce(program, plan.strategy(), input.cluster, split, end);
        return plan.add(std::move(program));
    };
    for (const auto& split : input.data.train.splits()) {
        const auto steady = step(split, carries ? SumsEnd::later_as_before : SumsEnd::in_step);
        const auto first = carries ? step(split, SumsEnd::later) : steady;
        plan.routine().steps.push_back({{first}, {steady}});
    }
    if (carries)
        plan.routine().finish = {plan.add(last_updates(input.training, plan.strategy(), input.cluster,
                                                       plan.placement(plan.largest_share())))};
}

}  // namespace

NodePlan ring_allreduce_plan(const CompileInput& input, std::int64_t rank) {
    require_whole_steps(input);
    NodePlanBuilder plan(input, rank, "replica");
    plan.hold_all(Replication::alike);
    plan.average_statistics();
    if (input.spec.micro_batch_size) {
        std::vector<std::int64_t> shares;
        for (const auto& split : input.data.train.splits())
            shares.push_back(split.at(static_cast<std::size_t>(rank)));
        add_micro_batch_steps(plan, shares);
    } else {
        add_steps_with_sums(plan, rank);
        plan.decide_layouts();
    }
    plan.evaluate_shares();
    plan.sum_scores();
    return std::move(plan).done();
}

}  // namespace convoy
