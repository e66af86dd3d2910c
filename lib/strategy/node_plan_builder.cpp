#include "strategy/node_plan_builder.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

#include "strategy/averaging.hpp"
#include "strategy/buckets.hpp"

namespace convoy {
namespace {

std::int64_t largest_of(const EpochPlan& plan) {
    std::int64_t largest = 0;
    for (const auto& split : plan.splits()) largest = std::max(largest, std::ranges::max(split));
    return largest;
}

/// Whether `wait` ends what `start` begins.
bool belong_together(const Operator& start, const Operator& wait) {
    return start.kind == OperatorKind::exchange_start && wait.kind == OperatorKind::exchange_wait &&
           start.name == wait.name && start.attributes == wait.attributes;
}

void join_exchanges(std::vector<Operator>& operators) {
    std::vector<Operator> joined;
    for (auto& op : operators) {
        if (!joined.empty() && belong_together(joined.back(), op)) {
            joined.back().kind = OperatorKind::exchange;
        } else {
            joined.push_back(std::move(op));
        }
    }
    operators = std::move(joined);
}

Links links_of(const NodePlan& plan, const CompileInput& input) {
    std::set<AllReduceAlgorithm> algorithms;
    for (const auto& program : plan.programs) {
        for (const auto& op : program.operators) {
            if (const auto* attributes = std::get_if<ExchangeAttributes>(&op.attributes))
                algorithms.insert(attributes->exchange.options.algorithm);
        }
    }
    if (algorithms.empty()) return {};
    const std::vector<AllReduceAlgorithm> named(algorithms.begin(), algorithms.end());
    return all_reduce_links(plan.rank, input.hosts, named, input.spec.strategy.connections);
}

}  // namespace

NodePlanBuilder::NodePlanBuilder(const CompileInput& input, std::int64_t rank, std::string role)
    : input_(input), largest_share_(largest_of(input.data.train)) {
    plan_.rank = rank;
    plan_.role = std::move(role);
}

Placement NodePlanBuilder::placement(std::int64_t batch) const {
    return {.rank = plan_.rank, .world_size = input_.ranks(), .batch = batch, .layout_batch = largest_share_};
}

std::size_t NodePlanBuilder::add(Program program) {
    join_exchanges(program.operators);
    plan_.programs.push_back(std::move(program));
    return plan_.programs.size() - 1;
}

void NodePlanBuilder::decide_layouts() {
    const auto operators = [](const Program& program) { return program.operators.size(); };
    const auto most = std::ranges::max_element(plan_.programs, {}, operators);
    plan_.layouts.assign(plan_.programs.begin(), std::next(most));
}

void NodePlanBuilder::hold_all(Replication replication) {
    const auto& graph = input_.training;
    const bool first = plan_.rank == 0;
    for (const auto& parameter : graph.parameters) {
        HeldParameter held{.value = graph.tensor(parameter.value),
                           .description = parameter,
                           .start_alike = true,
                           .alike = replication == Replication::alike,
                           .saved = first,
                           .kept = first || replication != Replication::alike || parameter.residual};
        for (const auto slot : parameter.slots) held.slots.push_back(graph.tensor(slot));
        if (parameter.residual) held.residual = graph.tensor(*parameter.residual);
        plan_.parameters.push_back(std::move(held));
    }
}

void NodePlanBuilder::average_statistics() {
    const bool any = std::ranges::any_of(input_.training.parameters,
                                         [](const Parameter& parameter) { return !parameter.trained; });
    if (input_.ranks() == 1 || !any) return;
    const auto program = add(averaging_program(input_.training, strategy(), plan_.rank, input_.ranks()));
    plan_.routine.before_evaluation = plan_.routine.before_checkpoint = {program};
}

void NodePlanBuilder::evaluate_shares() {
    std::set<std::vector<std::int64_t>, std::greater<>> distinct;  // the largest first
    std::int64_t layout_batch = 0;
    for (const auto& data : input_.data.evaluations) {
        for (const auto& split : data.splits()) distinct.insert(split);
        layout_batch = std::max(layout_batch, largest_of(data));
    }
    std::map<std::vector<std::int64_t>, std::size_t> programs;
    for (const auto& split : distinct) {
        auto program = instantiate(input_.evaluation, ProgramKind::evaluate,
                                   {.rank = plan_.rank,
                                    .world_size = input_.ranks(),
                                    .batch = split.at(static_cast<std::size_t>(plan_.rank)),
                                    .layout_batch = layout_batch});
        if (program.batch == 0) keep_dataset_only(program);
        programs[split] = add(std::move(program));
    }
    for (const auto& data : input_.data.evaluations) {
        auto& sequences = plan_.routine.evaluations.emplace_back();
        for (const auto& split : data.splits()) sequences.push_back({programs.at(split)});
    }
}

void NodePlanBuilder::sum_scores() {
    const auto& spec = input_.spec;
    const bool decides = spec.early_stopping.patience || (spec.target && spec.target->stop);
    if (input_.ranks() == 1 || !decides) return;
    Program program{.kind = ProgramKind::average,
                    .rank = plan_.rank,
                    .world_size = input_.ranks(),
                    .tensors = {{"scores", Shape{2}, TensorRole::bucket, false}},
                    .operators = {},
                    .parameters = {},
                    .buckets = {{.storage = {}, .tensors = {}, .offsets = {}, .elements = 2}}};
    const StrategySpec plain;  // scores travel as they are
    for (const auto kind : {OperatorKind::exchange_start, OperatorKind::exchange_wait})
        program.operators.push_back(communicate(program, kind, program.buckets.front(), plain));
    plan_.routine.scores = {add(std::move(program))};
}

NodePlan NodePlanBuilder::done() && {
    plan_.links = links_of(plan_, input_);
    return std::move(plan_);
}

}  // namespace convoy
