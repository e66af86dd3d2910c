#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "data/dataset.hpp"
#include "data/sharding.hpp"
#include "program/program.hpp"
#include "spec/experiment_spec.hpp"
#include "strategy/strategy.hpp"

namespace convoy {

/// How examples are dealt out, for training and for the two splits that are only evaluated.
struct RunPlan {
    EpochPlan train;
    std::vector<EpochPlan> evaluations;  ///< validation where there is one, then test where there is one
    std::int64_t steps = 0;              ///< training steps of the whole run, max_steps applied
};

RunPlan plan_run(const ExperimentSpec& spec, const SplitSizes& sizes);

/// How a split of so many examples is evaluated: each of them once, in order.
EpochPlan evaluation_plan(const ExperimentSpec& spec, std::int64_t examples);

/// Every program that a run needs, for all nodes and each way in which a batch is split over them, and which
/// of them make up a step.
class ProgramSet {
  public:
    /// Compiles a graph for each split of the plans' batches. training: with the spec's strategy, and in
    /// micro-batches where the spec wants them; else for evaluation.
    ProgramSet(const ExperimentSpec& spec, const Graph& graph, std::span<const EpochPlan> plans,
               bool training);

    /// The programs of one rank, those for the largest batch first.
    [[nodiscard]] const std::vector<Program>& of_rank(std::int64_t rank) const;
    /// What this rank runs for a batch of so many examples over all nodes: indices in of_rank, in order.
    [[nodiscard]] const std::vector<std::size_t>& step(std::int64_t rank, std::int64_t global_examples) const;
    /// What this rank runs behind a step (counted from 1), so that all go on from the mean of their weights;
    /// nothing behind most steps. Always there for step 0 where the strategy averages at all.
    [[nodiscard]] std::optional<std::size_t> average_behind(std::int64_t rank, std::int64_t step) const;
    /// What this rank runs so that nothing is left to the next step, where steps leave something.
    [[nodiscard]] std::optional<std::size_t> last_updates(std::int64_t rank) const;
    /// The most programs that this rank runs in one step.
    [[nodiscard]] std::size_t longest_step(std::int64_t rank) const;

  private:
    struct OfRank {
        std::vector<Program> programs;
        std::map<std::int64_t, std::vector<std::size_t>> steps;  // by examples over all nodes
        std::optional<std::size_t> average;                      // of weights
        std::optional<std::size_t> last_updates;
    };
    void add_whole_batches(const std::vector<BatchShares>& splits, const ExperimentSpec& spec,
                           const Graph& graph, bool training);
    void add_micro_batches(const std::vector<BatchShares>& splits, const ExperimentSpec& spec,
                           const Graph& graph);

    std::vector<OfRank> ranks_;
    std::int64_t average_every_;
};

/// The program of one rank that averages moving statistics over the nodes; none where there are none.
std::vector<Program> averaging_programs_of(const ExperimentSpec& spec, const Graph& graph, std::int64_t rank);

/// The graphs of a spec's network over a dataset's examples.
Graph training_graph_of(const ExperimentSpec& spec, const ExampleShape& input, std::int64_t classes);
Graph evaluation_graph_of(const ExperimentSpec& spec, const ExampleShape& input, std::int64_t classes);

}  // namespace convoy
