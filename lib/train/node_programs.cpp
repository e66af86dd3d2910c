#include "train/node_programs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "base/error.hpp"
#include "graph/clipping.hpp"
#include "graph/recompute.hpp"
#include "graph/residuals.hpp"
#include "nn/network.hpp"
#include "nn/zoo.hpp"

namespace convoy {
namespace {

/// Examples that a node evaluates at a time: enough for full vector units, few enough to need no more memory
/// than a training step.
constexpr std::int64_t evaluation_share = 64;

Cluster cluster_of(const ExperimentSpec& spec) {
    Cluster cluster;
    for (const auto& node : spec.nodes) cluster.nodes.push_back({node.threads.value_or(1)});
    return cluster;
}

std::int64_t examples_of(const BatchShares& shares) {
    return std::accumulate(shares.examples.begin(), shares.examples.end(), std::int64_t{0});
}

}  // namespace

EpochPlan evaluation_plan(const ExperimentSpec& spec, std::int64_t examples) {
    return EpochPlan({.scheme = ShardingScheme::global_batch,
                      .examples = examples,
                      .batch_size = evaluation_share * spec.world_size(),
                      .world_size = spec.world_size(),
                      .shuffle = false,
                      .seed = spec.seed});
}

RunPlan plan_run(const ExperimentSpec& spec, const SplitSizes& sizes) {
    if (sizes.train < spec.world_size()) {
        throw DataError(fmt::format(
            "$.dataset.train_examples: {} to train on, expected at least one for each of {} nodes",
            sizes.train, spec.world_size()));
    }
    if (spec.batch_size > sizes.train) {
        throw DataError(fmt::format("$.batch_size: found {}, expected at most the {} examples to train on",
                                    spec.batch_size, sizes.train));
    }
    if (spec.early_stopping.patience && sizes.validation == 0) {
        throw DataError(
            "$.dataset.validation_fraction: found 0, expected more for early_stopping, which looks at the "
            "validation loss");
    }
    if (spec.target && spec.target->split == EvaluatedSplit::validation && sizes.validation == 0) {
        throw DataError(
            "$.dataset.validation_fraction: found 0, expected more for target, whose split is validation");
    }
    if (spec.target && spec.target->split == EvaluatedSplit::test && sizes.test == 0)
        throw DataError(
            "$.target.split: found \"test\", expected \"validation\": there are no test examples");
    RunPlan plan{.train = EpochPlan({.scheme = spec.sharding.scheme,
                                     .examples = sizes.train,
                                     .batch_size = spec.batch_size,
                                     .world_size = spec.world_size(),
                                     .shuffle = spec.input_pipeline.shuffle,
                                     .seed = spec.seed}),
                 .evaluations = {},
                 .steps = 0};
    for (const auto examples : {sizes.validation, sizes.test}) {
        if (examples > 0) plan.evaluations.push_back(evaluation_plan(spec, examples));
    }
    plan.steps = spec.epochs * plan.train.steps_per_epoch();
    if (spec.max_steps) plan.steps = std::min(plan.steps, *spec.max_steps);
    return plan;
}

ProgramSet::ProgramSet(const ExperimentSpec& spec, const Graph& graph, std::span<const EpochPlan> plans,
                       bool training)
    : ranks_(spec.nodes.size()), average_every_(spec.strategy.average_every) {
    std::set<std::vector<std::int64_t>, std::greater<>> distinct;
    for (const auto& plan : plans) {
        const auto shares = plan.batch_shares();
        distinct.insert(shares.begin(), shares.end());
    }
    // The first split is the largest, and its first share the largest of all.
    std::vector<BatchShares> splits;
    for (const auto& split : distinct) splits.push_back({split, distinct.begin()->front()});
    if (training && spec.micro_batch_size) {
        add_micro_batches(splits, spec, graph);
    } else {
        add_whole_batches(splits, spec, graph, training);
    }
}

void ProgramSet::add_whole_batches(const std::vector<BatchShares>& splits, const ExperimentSpec& spec,
                                   const Graph& graph, bool training) {
    const auto cluster = cluster_of(spec);
    for (const auto& split : splits) {
        auto programs = training ? compile(spec.strategy, graph, cluster, split)
                                 : compile_evaluation(graph, cluster, split);
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
            ranks_[rank].steps[examples_of(split)] = {ranks_[rank].programs.size()};
            ranks_[rank].programs.push_back(std::move(programs.at(rank)));
        }
    }
    if (!training) return;
    const auto add = [this](std::vector<Program> programs, std::optional<std::size_t> OfRank::*index) {
        for (std::size_t rank = 0; rank < programs.size(); ++rank) {
            ranks_[rank].*index = ranks_[rank].programs.size();
            ranks_[rank].programs.push_back(std::move(programs[rank]));
        }
    };
    const auto layout_batch = splits.front().layout_batch;
    add(compile_weight_averages(spec.strategy, graph, cluster, layout_batch), &OfRank::average);
    add(compile_last_updates(spec.strategy, graph, cluster, layout_batch), &OfRank::last_updates);
}

void ProgramSet::add_micro_batches(const std::vector<BatchShares>& splits, const ExperimentSpec& spec,
                                   const Graph& graph) {
    if (std::ranges::any_of(graph.parameters, [](const auto& parameter) { return !parameter.trained; })) {
        throw DataError(
            "$.micro_batch_size: expected null for a network with batch normalisation: its moving "
            "statistics would depend on the number of nodes");
    }
    auto nodes = compile_micro_batches(spec.strategy, graph, *spec.micro_batch_size, splits);
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        ranks_[rank].programs = std::move(nodes.at(rank).programs);
        for (const auto& split : splits)
            ranks_[rank].steps[examples_of(split)] = nodes[rank].steps.at(split.examples[rank]);
    }
}

const std::vector<Program>& ProgramSet::of_rank(std::int64_t rank) const {
    return ranks_.at(static_cast<std::size_t>(rank)).programs;
}

const std::vector<std::size_t>& ProgramSet::step(std::int64_t rank, std::int64_t global_examples) const {
    const auto& steps = ranks_.at(static_cast<std::size_t>(rank)).steps;
    const auto found = steps.find(global_examples);
    if (found == steps.end()) throw InternalError("a batch that no program was compiled for");
    return found->second;
}

std::optional<std::size_t> ProgramSet::average_behind(std::int64_t rank, std::int64_t step) const {
    if (step % average_every_ != 0) return std::nullopt;
    return ranks_.at(static_cast<std::size_t>(rank)).average;
}

std::optional<std::size_t> ProgramSet::last_updates(std::int64_t rank) const {
    return ranks_.at(static_cast<std::size_t>(rank)).last_updates;
}

std::size_t ProgramSet::longest_step(std::int64_t rank) const {
    std::size_t longest = 0;
    for (const auto& [examples, step] : ranks_.at(static_cast<std::size_t>(rank)).steps)
        longest = std::max(longest, step.size());
    return longest;
}

std::vector<Program> averaging_programs_of(const ExperimentSpec& spec, const Graph& graph,
                                           std::int64_t rank) {
    const auto programs = compile_averaging(spec.strategy, graph, cluster_of(spec));
    if (programs.empty()) return {};
    return {programs.at(static_cast<std::size_t>(rank))};
}

Graph training_graph_of(const ExperimentSpec& spec, const ExampleShape& input, std::int64_t classes) {
    auto graph =
        training_graph(resolve_model(spec.model), spec.optimizer, input, classes, spec.kernels.fusion);
    if (spec.kernels.recompute) recompute_batch_norms(graph);
    if (spec.strategy.wire_type == WireType::top_k && spec.world_size() > 1) add_residuals(graph);
    if (spec.gradient_clipping) clip_gradients(graph, *spec.gradient_clipping);
    return graph;
}

Graph evaluation_graph_of(const ExperimentSpec& spec, const ExampleShape& input, std::int64_t classes) {
    return evaluation_graph(resolve_model(spec.model), input, classes, spec.kernels.fusion);
}

}  // namespace convoy
