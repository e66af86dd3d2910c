#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "program/program.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// All that a strategy may know of one node.
struct ClusterNode {
    int threads = 1;
};

/// All that a strategy may know of the cluster; a value, so that compiling is a pure function.
struct Cluster {
    std::vector<ClusterNode> nodes;
};

/// The batch that programs are compiled for: what each rank computes.
struct BatchShares {
    std::vector<std::int64_t> examples;  ///< by rank; 0 where a batch is smaller than the cluster
    std::int64_t layout_batch = 0;       ///< the largest share of any batch of the run
};

/// Whether nodes part from each other with their first step: each has weights of its own, if only until the
/// next average.
bool trains_apart(StrategyName strategy);

/// One training program per node. A pure function of its arguments; it depends on nothing else.
std::vector<Program> compile(const StrategySpec& strategy, const Graph& training, const Cluster& cluster,
                             const BatchShares& shares);

/// The programs of one node for steps that are worked off in micro-batches, and what each step runs of them.
struct MicroBatchPrograms {
    std::vector<Program> programs;
    /// By the examples of this node's share: indices in programs, in the order in which they run.
    std::map<std::int64_t, std::vector<std::size_t>> steps;
};

/// For each node: its shares in micro-batches of micro_batch_size, and what ends the step. The gradients have
/// the same bits for any number of nodes whose shares are multiples of micro_batch_size. shares: those of
/// each batch of the run.
std::vector<MicroBatchPrograms> compile_micro_batches(const StrategySpec& strategy, const Graph& training,
                                                      std::int64_t micro_batch_size,
                                                      std::span<const BatchShares> shares);

/// One program per node that brings what each node has seen by itself, the moving statistics of batch
/// normalisation, to the mean over all nodes. None where there is one node, or no such statistics, or where
/// nodes exchange nothing. Back-ends
/// bind it before the others: the statistics lie in its bucket.
std::vector<Program> compile_averaging(const StrategySpec& strategy, const Graph& training,
                                       const Cluster& cluster);

/// One program per node that brings the trained weights to their mean over all nodes, where the strategy has
/// nodes train apart and meet every strategy.average_every steps; else none. layout_batch: as in BatchShares.
/// Back-ends bind it behind the training programs.
std::vector<Program> compile_weight_averages(const StrategySpec& strategy, const Graph& training,
                                             const Cluster& cluster, std::int64_t layout_batch);

/// One program per node that ends what steps leave to the next one (strategy.overlap_forward); else none.
/// To be run before anything else reads the weights: an evaluation, a checkpoint, the end. layout_batch: as
/// in BatchShares. Back-ends bind it behind the training programs.
std::vector<Program> compile_last_updates(const StrategySpec& strategy, const Graph& training,
                                          const Cluster& cluster, std::int64_t layout_batch);

/// One evaluation program per node: each evaluates its share, nothing is exchanged.
std::vector<Program> compile_evaluation(const Graph& evaluation, const Cluster& cluster,
                                        const BatchShares& shares);

}  // namespace convoy
