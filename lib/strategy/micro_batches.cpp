#include "strategy/micro_batches.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "strategy/bucket_exchanges.hpp"
#include "strategy/buckets.hpp"
#include "strategy/empty_share.hpp"
#include "strategy/step_parts.hpp"

namespace convoy {
namespace {

/// Adds a bucket's gradients to its exact sums, or takes the sums.
Operator on_sums(OperatorKind kind, const Program& program, const Bucket& bucket) {
    return {kind,
            program.tensor(bucket.storage).name,
            Pass::communication,
            {bucket.storage},
            {bucket.storage},
            {},
            {}};
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
        keep_dataset_only(program);
        return program;
    }
    program.operators = behind_buckets(program, std::move(compute), [&](const Bucket& bucket) {
        return std::vector{on_sums(OperatorKind::accumulate, program, bucket)};
    });
    return program;
}

Program update_program(const Graph& training, const StrategySpec& strategy, const ClusterModel& cluster,
                       const Placement& placement) {
    auto program = instantiate(training, ProgramKind::update, placement);
    plan_buckets(program, strategy);
    const auto updates = split_step(program).updates;
    std::vector<Operator> operators;
    const bool alone = program.world_size == 1;
    for (const auto& bucket : program.buckets) {
        if (alone) break;
        operators.push_back(
            communicate(program, OperatorKind::exchange_start, bucket, strategy, cluster, true));
    }
    const auto complete = [&](const Bucket& bucket) {
        std::vector<Operator> sums;
        if (!alone)
            sums.push_back(
                communicate(program, OperatorKind::exchange_wait, bucket, strategy, cluster, true));
        sums.push_back(on_sums(OperatorKind::take_sums, program, bucket));
        return sums;
    };
    std::ranges::move(behind_sums(program, strategy.commit, updates, complete),
                      std::back_inserter(operators));
    program.operators = std::move(operators);
    return program;
}

void add_micro_batch_steps(NodePlanBuilder& plan, const std::vector<std::int64_t>& shares) {
    const auto& input = plan.input();
    const auto& training = input.training;
    if (std::ranges::any_of(training.parameters, [](const auto& parameter) { return !parameter.trained; })) {
        throw DataError(
            "$.micro_batch_size: expected null for a network with batch normalisation: its moving "
            "statistics would depend on the number of nodes");
    }
    const auto size = *input.spec.micro_batch_size;
    const auto placement = [&](std::int64_t batch) {
        auto place = plan.placement(batch);
        place.layout_batch = std::min(size, place.layout_batch);
        return place;
    };
    std::map<std::int64_t, std::size_t> programs;  // by examples of the micro-batch
    for (const auto share : shares) {
        Sequence step;
        for (const auto examples : micro_batches_of(share, size)) {
            if (!programs.contains(examples))
                programs[examples] =
                    plan.add(gradients_program(training, plan.strategy(), placement(examples)));
            step.push_back(programs.at(examples));
        }
        plan.routine().steps.push_back({step, {}});
    }
    const auto update = plan.add(update_program(training, plan.strategy(), input.cluster, placement(0)));
    for (auto& step : plan.routine().steps) {
        step.first.push_back(update);
        step.steady = step.first;
    }
    if (std::ranges::all_of(shares, [](auto share) { return share == 0; })) {
        const auto largest = std::min(size, plan.largest_share());
        plan.decide_layouts_by(gradients_program(training, plan.strategy(), placement(largest)));
    } else {
        plan.decide_layouts();
    }
}

}  // namespace convoy
