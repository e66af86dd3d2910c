#include "strategy/node_plan_builder.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <utility>
#include <variant>

#include "exchange/exchange_schedule.hpp"
#include "strategy/averaging.hpp"
#include "strategy/bucket_exchanges.hpp"
#include "strategy/empty_share.hpp"
#include "strategy/tuning.hpp"

namespace convoy {
namespace {

std::int64_t largest_of(const EpochPlan& plan) {
    std::int64_t largest = 0;
    for (const auto& split : plan.splits()) largest = std::max(largest, std::ranges::max(split));
    return largest;
}

/// The links that the exchanges of all programs need.
Links needed_links(const NodePlan& plan, const CompileInput& input) {
    std::set<std::int64_t> to;
    std::set<std::int64_t> from;
    Links links{.send_to = {}, .receive_from = {}, .connections = 1};
    for (const auto& program : plan.programs) {
        for (const auto& op : program.operators) {
            const auto* attributes = std::get_if<ExchangeAttributes>(&op.attributes);
            if (attributes == nullptr) continue;
            const auto own = links_of(attributes->exchange, plan.rank, input.hosts);
            to.insert(own.send_to.begin(), own.send_to.end());
            from.insert(own.receive_from.begin(), own.receive_from.end());
            links.connections = input.spec.strategy.connections;
        }
    }
    links.send_to.assign(to.begin(), to.end());
    links.receive_from.assign(from.begin(), from.end());
    return links;
}

/// Whether an operator of the program uses the result of this dataset operator.
bool is_used(const Program& program, const Operator& data) {
    return std::ranges::any_of(program.operators, [&](const Operator& op) {
        if (reads(data, ReadThing::numbers)) return draws_by_example(op.kind);
        return std::ranges::count(op.inputs, data.outputs.at(0)) > 0;
    });
}

/// Removes the dataset operators whose results the program does not use. In a program without examples, the
/// only dataset operator stays, since it takes the empty batch.
void drop_unused_data(Program& program) {
    if (program.batch == 0) return;
    std::vector<Operator> kept;
    for (const auto& op : program.operators)
        if (op.kind != OperatorKind::dataset || is_used(program, op)) kept.push_back(op);
    program.operators = std::move(kept);
}

/// The data that the programs read. A program without examples reads none.
DataRole data_role(const std::vector<Program>& programs) {
    DataRole data;
    for (const auto& program : programs) {
        if (program.batch == 0) continue;
        const auto any = [&](ReadThing thing) {
            return std::ranges::any_of(program.operators,
                                       [&](const Operator& op) { return reads(op, thing); });
        };
        data.values = data.values || any(ReadThing::values);
        data.labels = data.labels || any(ReadThing::labels);
        data.numbers = data.numbers || any(ReadThing::numbers);
    }
    return data;
}

}  // namespace

NodePlanBuilder::NodePlanBuilder(const CompileInput& input, std::int64_t rank, std::string role,
                                 std::vector<std::int64_t> group)
    : input_(input), group_(std::move(group)), largest_share_(largest_of(input.data.train)) {
    plan_.rank = rank;
    plan_.role = std::move(role);
}

Placement NodePlanBuilder::placement(std::int64_t batch) const {
    const auto ranks = group_.empty() ? input_.ranks() : std::ssize(group_);
    return {.rank = plan_.rank,
            .world_size = ranks,
            .batch = batch,
            .layout_batch = largest_share_,
            .group = group_};
}

double NodePlanBuilder::part_in_means() const {
    const auto& batches = input_.data.train;
    if (strategy().balance.by == BalanceBy::equal) return 1.0 / static_cast<double>(placement(0).world_size);
    return static_cast<double>(batches.examples_of(plan_.rank)) / static_cast<double>(batches.examples());
}

Program NodePlanBuilder::tuned(Program program) const {
    drop_unused_data(program);
    tune(program, input_.spec.kernels);
    return program;
}

std::size_t NodePlanBuilder::add(Program program) {
    plan_.programs.push_back(tuned(std::move(program)));
    return plan_.programs.size() - 1;
}

void NodePlanBuilder::decide_layouts() {
    const auto operators = [](const Program& program) { return program.operators.size(); };
    const auto most = std::ranges::max_element(plan_.programs, {}, operators);
    plan_.layouts.assign(plan_.programs.begin(), std::next(most));
}

void NodePlanBuilder::decide_layouts_by(Program program) {
    plan_.layouts = {tuned(std::move(program))};
}

void NodePlanBuilder::hold_all(Replication replication) {
    const auto& graph = input_.training;
    const bool first = plan_.rank == 0;
    for (const auto& parameter : graph.parameters) {
        HeldParameter held{.value = graph.tensor(parameter.value),
                           .description = parameter,
                           .part = whole_slice(graph.tensor(parameter.value).shape),
                           .one_layout = true,
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
    if (placement(0).world_size == 1 || !any) return;
    const bool weighted = strategy().balance.by != BalanceBy::equal;
    const auto program = add(averaging_program(input_.training, strategy(), input_.cluster, placement(0),
                                               weighted ? std::optional(part_in_means()) : std::nullopt));
    plan_.routine.before_evaluation = plan_.routine.before_checkpoint = {program};
}

void NodePlanBuilder::evaluate_shares(const Distribute& distribute) {
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
        if (distribute) {
            program = distribute(std::move(program), split);
        } else if (program.batch == 0) {
            keep_dataset_only(program);
        }
        programs[split] = add(std::move(program));
    }
    for (const auto& data : input_.data.evaluations) {
        auto& sequences = plan_.routine.evaluations.emplace_back();
        for (const auto& split : data.splits()) sequences.push_back({programs.at(split)});
    }
}

void NodePlanBuilder::evaluate_nothing() {
    for (const auto& data : input_.data.evaluations)
        plan_.routine.evaluations.emplace_back(data.splits().size());
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
    const StrategySpec plain;       // scores travel as they are
    const ClusterModel unmeasured;  // so few bytes need no measured choice
    for (const auto kind : {OperatorKind::exchange_start, OperatorKind::exchange_wait})
        program.operators.push_back(communicate(program, kind, program.buckets.front(), plain, unmeasured));
    plan_.routine.scores = {add(std::move(program))};
}

NodePlan NodePlanBuilder::done() && {
    plan_.links = needed_links(plan_, input_);
    plan_.data = data_role(plan_.programs);
    return std::move(plan_);
}

}  // namespace convoy
