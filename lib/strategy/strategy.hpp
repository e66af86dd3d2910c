#pragma once

#include <cstdint>
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

/// One training program per node. A pure function of its arguments; it depends on nothing else.
std::vector<Program> compile(const StrategySpec& strategy, const Graph& training, const Cluster& cluster,
                             const BatchShares& shares);

/// One program per node that brings what each node has seen by itself, the moving statistics of batch
/// normalisation, to the mean over all nodes. None where there is one node, or no such statistics, or where
/// nodes exchange nothing. Back-ends
/// bind it before the others: the statistics lie in its bucket.
std::vector<Program> compile_averaging(const StrategySpec& strategy, const Graph& training,
                                       const Cluster& cluster);

/// One evaluation program per node: each evaluates its share, nothing is exchanged.
std::vector<Program> compile_evaluation(const Graph& evaluation, const Cluster& cluster,
                                        const BatchShares& shares);

}  // namespace convoy
