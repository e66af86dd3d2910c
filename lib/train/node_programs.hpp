#pragma once

#include <cstdint>
#include <map>
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

/// Every program that a run needs, for all nodes: one set for each way in which a batch is split over them.
class ProgramSet {
  public:
    /// Compiles a graph for each split of the plans' batches. training: with the spec's strategy; else for
    /// evaluation.
    ProgramSet(const ExperimentSpec& spec, const Graph& graph, std::span<const EpochPlan> plans,
               bool training);

    /// The programs of one rank, in the order of their batches: largest first.
    [[nodiscard]] std::vector<Program> of_rank(std::int64_t rank) const;
    /// Index in of_rank of the program for a batch of so many examples over all nodes.
    [[nodiscard]] std::size_t index_of(std::int64_t global_examples) const;

  private:
    std::vector<std::vector<Program>> by_batch_;  // [batch][rank]
    std::map<std::int64_t, std::size_t> index_;   // by examples over all nodes
};

/// The program of one rank that averages moving statistics over the nodes; none where there are none.
std::vector<Program> averaging_programs_of(const ExperimentSpec& spec, const Graph& graph, std::int64_t rank);

/// The graphs of a spec's network over a dataset's examples.
Graph training_graph_of(const ExperimentSpec& spec, const Shape& input, std::int64_t classes);
Graph evaluation_graph_of(const ExperimentSpec& spec, const Shape& input, std::int64_t classes);

}  // namespace convoy
