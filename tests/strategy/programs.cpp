#include "strategy/programs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "graph/fusion.hpp"
#include "nn/network.hpp"
#include "nn/zoo.hpp"
#include "strategy/balance.hpp"
#include "strategy/buckets.hpp"
#include "strategy/local_sgd.hpp"
#include "strategy/ring_allreduce.hpp"
#include "strategy/strategy.hpp"

namespace convoy::test {

Graph mnist_cnn() {
    const auto model = resolve_model({.name = "mnist_cnn", .input = {}, .layers = {}});
    return training_graph(model, Sgd{}, model.input, 10);
}

Graph small_resnet() {
    const auto model = resolve_model({.name = "resnet_v2", .input = {}, .layers = {}, .depth = 11});
    return training_graph(model, Sgd{}, model.input, 10);
}

ExperimentSpec spec_for(std::size_t nodes, std::int64_t batch_size, const StrategySpec& strategy) {
    ExperimentSpec spec;
    spec.nodes.resize(nodes);
    spec.batch_size = batch_size;
    spec.strategy = strategy;
    return spec;
}

namespace {

void distribute(Program& program, const StrategySpec& strategy, const ClusterModel& cluster,
                const std::vector<std::int64_t>& shares, const Graph& graph) {
    const bool carries = overlaps_forward(strategy, program.world_size, graph);
    switch (strategy.name) {
        case StrategyName::local: return;
        case StrategyName::local_sgd: plan_buckets(program, strategy); return train_alone(program);
        case StrategyName::independent: return train_alone(program);
        default:
            return insert_all_reduce(program, strategy, cluster, shares,
                                     carries ? SumsEnd::later_as_before : SumsEnd::in_step);
    }
}

}  // namespace

std::vector<Program> compile_for(const std::vector<std::int64_t>& shares, const StrategySpec& strategy,
                                 const Graph& graph, bool fusion) {
    ExperimentSpec spec;
    spec.nodes.resize(shares.size());
    spec.strategy = strategy;
    const auto cluster = cluster_model(spec);
    std::vector<Program> programs;
    for (std::size_t rank = 0; rank < shares.size(); ++rank) {
        auto& program =
            programs.emplace_back(instantiate(graph, ProgramKind::train,
                                              {.rank = static_cast<std::int64_t>(rank),
                                               .world_size = static_cast<std::int64_t>(shares.size()),
                                               .batch = shares[rank],
                                               .layout_batch = std::ranges::max(shares)}));
        distribute(program, strategy, cluster, shares, graph);
        if (fusion) fuse(program.operators, program.tensors);
    }
    return programs;
}

std::vector<NodePlan> plans_for(const ExperimentSpec& spec, const Graph& training, std::int64_t examples,
                                std::int64_t tested) {
    const auto& strategy = strategy_of(spec.strategy.name);
    const auto replicas = strategy.replicas(spec);
    const auto ranks = std::ssize(replicas);
    const auto model = resolve_model({.name = "mnist_cnn", .input = {}, .layers = {}});
    const auto evaluation = evaluation_graph(model, model.input, 10);
    const HostMap hosts(ranks);
    const auto cluster = cluster_model(spec);
    const auto data = data_plan(spec, {.train = examples, .validation = 0, .test = tested}, replicas,
                                batch_weights(spec, training, cluster, std::ranges::max(replicas) + 1));
    const DataShape shape{
        .example = model.input, .classes = 10, .sizes = {.train = examples, .validation = 0, .test = tested}};
    std::vector<NodePlan> plans;
    for (std::int64_t rank = 0; rank < ranks; ++rank)
        plans.push_back(strategy.compile({spec, training, evaluation, data, shape, hosts, cluster}, rank));
    return plans;
}

std::vector<Program> compile_for(const std::vector<std::int64_t>& shares, const StrategySpec& strategy) {
    return compile_for(shares, strategy, mnist_cnn());
}

const Program& step_of(const NodePlan& plan) {
    return plan.programs.at(plan.routine.steps.at(0).steady.at(0));
}

const HeldParameter& held_by(const NodePlan& plan, const std::string& name) {
    return *std::ranges::find_if(plan.parameters,
                                 [&](const HeldParameter& held) { return held.value.name == name; });
}

std::int64_t elements_sent(const Program& program, std::int64_t rank) {
    std::int64_t sent = 0;
    for (const auto& op : program.operators) {
        const bool begins = op.kind == OperatorKind::exchange || op.kind == OperatorKind::exchange_start;
        if (!begins) continue;
        const auto& [exchange, exact, range] = op.as<ExchangeAttributes>();
        const auto elements = range ? static_cast<std::int64_t>(range->count)
                                    : program.tensor(op.inputs.at(0)).shape.elements();
        const auto members = exchange.group.empty() ? program.world_size : std::ssize(exchange.group);
        if (exchange.verb == ExchangeVerb::send) sent += elements;
        const bool chain = exchange.route == ExchangeRoute::chain;
        if (exchange.verb == ExchangeVerb::pull && chain && exchange.group.back() != rank) sent += elements;
        if (exchange.verb == ExchangeVerb::pull && !chain && exchange.root == rank)
            sent += elements * (members - 1);
        if (exchange.verb == ExchangeVerb::push && exchange.root != rank) sent += elements;
    }
    return sent;
}

/// "Kind name" of every operator behind the forward pass.
Lines short_text(const Program& program) {
    Lines lines;
    for (const auto& op : program.operators) {
        if (op.pass == Pass::forward || op.pass == Pass::input) continue;
        lines.push_back(fmt::format("{} {}", operator_name(op.kind), op.name));
    }
    return lines;
}

Lines names(const Program& program, const Bucket& bucket) {
    Lines found;
    for (const auto id : bucket.tensors) found.push_back(program.tensor(id).name);
    return found;
}

const Lines updates_of_first{"ResourceApplyGradientDescent dense_2.weight",
                             "ResourceApplyGradientDescent dense_2.bias",
                             "ResourceApplyGradientDescent dense_1.weight"};
const Lines updates_of_second{
    "ResourceApplyGradientDescent dense_1.bias", "ResourceApplyGradientDescent conv2d_2.weight",
    "ResourceApplyGradientDescent conv2d_2.bias", "ResourceApplyGradientDescent conv2d_1.weight",
    "ResourceApplyGradientDescent conv2d_1.bias"};

Lines operator+(Lines left, const Lines& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

}  // namespace convoy::test
