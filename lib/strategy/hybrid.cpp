#include "strategy/hybrid.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "exchange/group.hpp"
#include "strategy/cut_weights.hpp"
#include "strategy/dense_cut.hpp"
#include "strategy/empty_share.hpp"
#include "strategy/node_plan_builder.hpp"
#include "strategy/parameter_part.hpp"
#include "strategy/ring_allreduce.hpp"
#include "strategy/shared_norm.hpp"

namespace convoy {
namespace {

/// Of a cut weight the node holds, saves and keeps its part. It keeps all else too: a node that has tensors
/// of its own in a checkpoint goes on with these alone.
void hold_parts(NodePlanBuilder& plan, std::span<const std::string> weights, std::int64_t rank) {
    plan.hold_all(Replication::alike);
    for (auto& parameter : plan.parameters()) {
        if (std::ranges::count(weights, parameter.value.name) > 0)
            hold_alone(parameter, units_of(parameter.value.shape[0], rank, plan.input().ranks()));
        parameter.kept = parameter.kept || !weights.empty();
    }
}

/// Each rank adds the squares of the gradients that it alone has; rank 0 also those that all ranks have.
void share_norm(Program& program, const OwnTensors& own) {
    const auto norm = std::ranges::find(program.operators, OperatorKind::global_norm, &Operator::kind);
    if (norm == program.operators.end() || own.empty()) return;
    std::vector<TensorId> counted;
    std::ranges::copy_if(norm->inputs, std::back_inserter(counted),
                         [&](TensorId id) { return program.rank == 0 || own.contains(id); });
    auto shared = shared_norm(program, *norm, std::move(counted), consecutive_ranks(0, program.world_size));
    const auto behind = program.operators.erase(norm);
    program.operators.insert(behind, std::make_move_iterator(shared.begin()),
                             std::make_move_iterator(shared.end()));
}

}  // namespace

NodePlan hybrid_plan(const CompileInput& input, std::int64_t rank) {
    const auto weights = cut_weights(input.spec, input.training);
    NodePlanBuilder plan(input, rank, "replica");
    const auto segment_bytes = plan.strategy().segment_bytes;
    hold_parts(plan, weights, rank);
    plan.average_statistics();
    for (const auto& split : input.data.train.splits()) {
        auto program = instantiate(input.training, ProgramKind::train,
                                   plan.placement(split.at(static_cast<std::size_t>(rank))));
        const auto own = cut_dense_layers(program, weights, split, segment_bytes);
        insert_all_reduce(program, plan.strategy(), input.cluster, split, SumsEnd::in_step, own);
        share_norm(program, own);
        const Sequence step{plan.add(std::move(program))};
        plan.routine().steps.push_back({step, step});
    }
    plan.decide_layouts();
    plan.evaluate_shares([&](Program program, std::span<const std::int64_t> split) {
        const auto own = cut_dense_layers(program, weights, split, segment_bytes);
        if (program.batch == 0) program.operators = zeros_for(program, std::move(program.operators), own);
        return program;
    });
    plan.sum_scores();
    return std::move(plan).done();
}

}  // namespace convoy
