#include "strategy/filter_parallel.hpp"

#include <span>
#include <utility>

#include "strategy/filter_cut.hpp"
#include "strategy/kernel_shares.hpp"
#include "strategy/node_plan_builder.hpp"
#include "strategy/parameter_part.hpp"

namespace convoy {
namespace {

/// Each node holds, saves and keeps its kernels; the master also all other parameters.
void hold_kernels(NodePlanBuilder& plan, const KernelCounts& counts, std::int64_t rank) {
    plan.hold_all(Replication::alike);
    for (auto& parameter : plan.parameters()) {
        const auto found = counts.find(parameter.value.name);
        if (found != counts.end()) {
            const auto part = kernels_of(found->second, rank);
            hold_alone(parameter, part.count > 0 ? std::optional(part) : std::nullopt);
        } else {
            hold_alone(parameter, rank == 0 ? parameter.part : std::nullopt);
        }
    }
}

}  // namespace

std::vector<std::int64_t> master_and_workers(const ExperimentSpec& spec) {
    std::vector<std::int64_t> replicas(spec.nodes.size(), -1);
    replicas.front() = 0;
    return replicas;
}

NodePlan filter_parallel_plan(const CompileInput& input, std::int64_t rank) {
    NodePlanBuilder plan(input, rank, rank == 0 ? "master" : "worker");
    const auto counts = with_biases(
        kernel_counts(input.spec, input.training, input.cluster, plan.largest_share()), input.training);
    const SharingOptions options{.segment_bytes = plan.strategy().segment_bytes,
                                 .sub_batches = plan.strategy().sub_batches};
    hold_kernels(plan, counts, rank);
    for (const auto& split : input.data.train.splits()) {
        auto whole = instantiate(input.training, ProgramKind::train, plan.placement(split.front()));
        whole.group = {rank};  // its statistics are of the whole batch already
        whole.world_size = 1;
        const Sequence step{plan.add(part_of_kernels(whole, counts, rank, options))};
        plan.routine().steps.push_back({step, step});
    }
    plan.decide_layouts();
    plan.evaluate_shares([&](const Program& own, std::span<const std::int64_t> split) {
        return part_of_kernels(with_batch(own, split.front()), counts, rank, options);
    });
    plan.sum_scores();
    return std::move(plan).done();
}

}  // namespace convoy
