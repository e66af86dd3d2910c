#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "graph/graph.hpp"
#include "plan/cluster_model.hpp"
#include "spec/experiment_spec.hpp"
#include "strategy/filter_cut.hpp"

namespace convoy {

/// What one convolution costs in a step of training, forward and backward, over a whole batch.
struct ConvolutionWork {
    std::int64_t kernels = 0;
    double input_bytes = 0.0;      ///< the input goes along a chain of ranks, and its gradient back, if any
    double channel_bytes = 0.0;    ///< of one kernel: its results travel to the master, their gradient back;
                                   ///< those of the tail behind it (channel_tails.hpp)
    bool input_gradient = true;    ///< false for the first layer
    std::int64_t sub_batches = 1;  ///< parts of the batch that go through the convolution one behind another
    std::int64_t block = 1;        ///< so many kernels count as taking as long as one
    bool operator==(const ConvolutionWork&) const = default;
};

/// What a rank needs for one kernel of a convolution, and its link to the master.
struct KernelCost {
    /// Computation of one kernel of a whole block, and of the tail of its channel, forward and backward.
    double seconds = 0.0;
    std::optional<double> bytes_per_s = {};  ///< absent: the link costs nothing, or nobody knows its rate
    /// Of the link from the rank before it, by which inputs come along the chain. A rank without kernels is
    /// no part of the chain; that its neighbours then have another link is not counted.
    std::optional<double> chain_bytes_per_s = {};
    bool operator==(const KernelCost&) const = default;
};

/// The predicted time of a convolution, forward and backward, in seconds. It has three parts: the input and
/// its gradient over the slowest link of the chain, results and their gradients one after another over the
/// master's link, and the computation of the slowest rank. The parts of different sub-batches overlap: the
/// longest part takes its time, and the others that of one sub-batch. ranks: by rank, the master first;
/// counts: kernels by rank.
double predicted_seconds(const ConvolutionWork& work, std::span<const KernelCost> ranks,
                         std::span<const std::int64_t> counts);

/// The counts of kernels with the least predicted time, where all links are alike and each rank has whole
/// blocks, but for one, whose last block may lack kernels. If transfers cost more than others save, the
/// master has all.
std::vector<std::int64_t> optimal_counts(const ConvolutionWork& work, std::span<const KernelCost> ranks);

/// Counts in proportion to weights, by largest remainders; the master has at least one. weights: by rank, not
/// negative, that of the master positive.
std::vector<std::int64_t> proportional_counts(std::int64_t kernels, std::span<const double> weights);

/// The kernels of each convolution that each rank computes, as `strategy.shares` says. Convolutions that the
/// master computes alone are missing: those with groups, and those that `optimal` leaves to
/// it. batch: of a training step. Throws DataError if there is no measured speed for a rule that needs one,
/// or with clipping by the norm of each gradient.
KernelCounts kernel_counts(const ExperimentSpec& spec, const Graph& training, const ClusterModel& cluster,
                           std::int64_t batch);

}  // namespace convoy
