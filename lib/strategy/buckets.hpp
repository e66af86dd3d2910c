#pragma once

#include <functional>
#include <span>
#include <vector>

#include "plan/cluster_model.hpp"
#include "program/program.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

constexpr std::int64_t bucket_element_bytes = 4;

/// Puts a tensor at the end of a bucket, aligned to a cache line and a vector register.
void append(Bucket& bucket, const Program& program, TensorId tensor);

/// Gives every gradient of a training program its place in a bucket, in the order in which the backward pass
/// finishes them. A bucket closes once it holds what strategy.bucketing says; a larger gradient stays whole.
/// Where parameters have residuals, a bucket of these for each bucket of gradients follows behind all of
/// them.
void plan_buckets(Program& program, const StrategySpec& strategy);

/// Whether gradients lie in the bucket; in the others are residuals, or what a step sums in its midst.
inline bool holds_gradients(const Bucket& bucket) {
    return !bucket.tensors.empty() && !bucket.residuals;
}

/// A training step's operators: forward and backward, then the updates of parameters.
struct StepParts {
    std::vector<Operator> compute, updates;
};
StepParts split_step(const Program& program);

/// The operators with one more behind each that completes a bucket of gradients.
std::vector<Operator> behind_buckets(const Program& program, std::vector<Operator> compute,
                                     const std::function<Operator(const Bucket&)>& make);

/// The end of a step: for each bucket of gradients the operators that complete its sum, and behind them the
/// updates that need no other bucket. The first update that reads all gradients, such as their norm, and all
/// updates behind it follow the last bucket; with the commit point by_step all updates do.
std::vector<Operator> behind_sums(const Program& program, CommitPoint commit,
                                  const std::vector<Operator>& updates,
                                  const std::function<std::vector<Operator>(const Bucket&)>& complete);

/// Those updates that are for a parameter whose gradient lies in the bucket.
std::vector<Operator> updates_of(const Program& program, const Bucket& bucket,
                                 std::span<const Operator> updates);

/// Starting the sum of one of the program's buckets over all ranks, or waiting for it. Buckets take the
/// connections in turn. Where the strategy's algorithm is `auto`, the cluster's measurements decide it; sums
/// of pieces (top_k) stay `auto`. With top_k the bucket of residuals is a second operand. exact: the bucket's
/// exact sums travel.
Operator communicate(const Program& program, OperatorKind kind, const Bucket& bucket,
                     const StrategySpec& strategy, const ClusterModel& cluster, bool exact = false);

/// Appends to = factor from, for each trained parameter whose gradient lies in the bucket.
void copy_scaled(const Program& program, std::vector<Operator>& operators, const Bucket& bucket,
                 TensorId Parameter::*from, TensorId Parameter::*to, double factor);

/// Forward and backward of a share without examples: zeros in all that is summed over the ranks, in the order
/// in which the others write it. The batch stays, and sums in the midst of the step with the statistics that
/// come of them.
std::vector<Operator> zeros_for(const Program& program, std::vector<Operator> compute);

/// A node without examples has nothing to compute: what stays is the batch, which it takes like any other.
void keep_dataset_only(Program& program);

}  // namespace convoy
