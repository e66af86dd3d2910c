#include "strategy/strategy.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "strategy/averaging.hpp"
#include "strategy/buckets.hpp"
#include "strategy/local_sgd.hpp"
#include "strategy/micro_batches.hpp"
#include "strategy/ring_allreduce.hpp"

namespace convoy {
namespace {

std::vector<Program> instantiate_all(const Graph& graph, ProgramKind kind, const BatchShares& shares) {
    std::vector<Program> programs;
    const auto world_size = static_cast<std::int64_t>(shares.examples.size());
    for (std::int64_t rank = 0; rank < world_size; ++rank) {
        programs.push_back(instantiate(graph, kind,
                                       {.rank = rank,
                                        .world_size = world_size,
                                        .batch = shares.examples[static_cast<std::size_t>(rank)],
                                        .layout_batch = shares.layout_batch}));
    }
    return programs;
}

/// A node without examples has nothing to compute.
void keep_dataset_only(Program& program) {
    std::erase_if(program.operators, [](const Operator& op) { return op.kind != OperatorKind::dataset; });
}

/// Adds what a share's micro-batches run, with a program for each size that is new.
void add_step(MicroBatchPrograms& node, const StrategySpec& strategy, const Graph& training,
              Placement placement, const std::vector<std::int64_t>& sizes) {
    auto& step = node.steps[std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0})];
    step.clear();
    for (const auto size : sizes) {
        const auto found = std::ranges::find(node.programs, size, &Program::batch);
        step.push_back(static_cast<std::size_t>(found - node.programs.begin()));
        if (found != node.programs.end()) continue;
        placement.batch = size;
        node.programs.push_back(gradients_program(training, strategy, placement));
    }
}

}  // namespace

bool trains_apart(StrategyName strategy) {
    return strategy == StrategyName::local_sgd || strategy == StrategyName::independent;
}

std::vector<Program> compile(const StrategySpec& strategy, const Graph& training, const Cluster& cluster,
                             const BatchShares& shares) {
    if (shares.examples.size() != cluster.nodes.size())
        throw InternalError("one batch share for each node is needed");
    auto programs = instantiate_all(training, ProgramKind::train, shares);
    switch (strategy.name) {
        case StrategyName::local: return programs;
        case StrategyName::ring_allreduce:
            for (auto& program : programs) insert_all_reduce(program, strategy, shares.examples);
            return programs;
        case StrategyName::local_sgd:
            for (auto& program : programs) plan_buckets(program, strategy);
            [[fallthrough]];
        case StrategyName::independent:
            for (auto& program : programs) train_alone(program);
            return programs;
    }
    throw InternalError("a strategy without a case");
}

std::vector<MicroBatchPrograms> compile_micro_batches(const StrategySpec& strategy, const Graph& training,
                                                      std::int64_t micro_batch_size,
                                                      std::span<const BatchShares> shares) {
    const auto world_size = static_cast<std::int64_t>(shares.front().examples.size());
    const auto layout_batch =
        std::min(micro_batch_size, std::ranges::max(shares, {}, &BatchShares::layout_batch).layout_batch);
    std::vector<MicroBatchPrograms> nodes;
    for (std::int64_t rank = 0; rank < world_size; ++rank) {
        const Placement placement{
            .rank = rank, .world_size = world_size, .batch = 0, .layout_batch = layout_batch};
        auto& node = nodes.emplace_back();
        for (const auto& split : shares)
            add_step(node, strategy, training, placement,
                     micro_batches_of(split.examples.at(static_cast<std::size_t>(rank)), micro_batch_size));
        node.programs.push_back(update_program(training, strategy, placement));
        for (auto& [share, step] : node.steps) step.push_back(node.programs.size() - 1);
    }
    return nodes;
}

std::vector<Program> compile_averaging(const StrategySpec& strategy, const Graph& training,
                                       const Cluster& cluster) {
    const auto world_size = static_cast<std::int64_t>(cluster.nodes.size());
    const bool any = std::ranges::any_of(training.parameters,
                                         [](const Parameter& parameter) { return !parameter.trained; });
    std::vector<Program> programs;
    if (world_size == 1 || !any || strategy.name == StrategyName::independent) return programs;
    for (std::int64_t rank = 0; rank < world_size; ++rank)
        programs.push_back(averaging_program(training, strategy, rank, world_size));
    return programs;
}

std::vector<Program> compile_weight_averages(const StrategySpec& strategy, const Graph& training,
                                             const Cluster& cluster, std::int64_t layout_batch) {
    const auto world_size = static_cast<std::int64_t>(cluster.nodes.size());
    std::vector<Program> programs;
    if (world_size == 1 || strategy.name != StrategyName::local_sgd) return programs;
    for (std::int64_t rank = 0; rank < world_size; ++rank) {
        programs.push_back(weight_average(
            training, strategy,
            {.rank = rank, .world_size = world_size, .batch = layout_batch, .layout_batch = layout_batch}));
    }
    return programs;
}

std::vector<Program> compile_last_updates(const StrategySpec& strategy, const Graph& training,
                                          const Cluster& cluster, std::int64_t layout_batch) {
    const auto world_size = static_cast<std::int64_t>(cluster.nodes.size());
    std::vector<Program> programs;
    if (!carries_sums(strategy, world_size, training.operators)) return programs;
    for (std::int64_t rank = 0; rank < world_size; ++rank) {
        programs.push_back(last_updates(
            training, strategy,
            {.rank = rank, .world_size = world_size, .batch = layout_batch, .layout_batch = layout_batch}));
    }
    return programs;
}

std::vector<Program> compile_evaluation(const Graph& evaluation, const Cluster& cluster,
                                        const BatchShares& shares) {
    if (shares.examples.size() != cluster.nodes.size())
        throw InternalError("one batch share for each node is needed");
    auto programs = instantiate_all(evaluation, ProgramKind::evaluate, shares);
    for (auto& program : programs) {
        if (program.batch == 0) keep_dataset_only(program);
    }
    return programs;
}

}  // namespace convoy
