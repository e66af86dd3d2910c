#pragma once

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "graph/graph.hpp"
#include "program/program.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// A training step's operators: forward and backward, then the updates of parameters.
struct StepParts {
    std::vector<Operator> compute, updates;
};
StepParts split_step(const Program& program);

/// Whether a graph updates parameters by the norm of all gradients, so that no update can come before the
/// last gradient.
bool needs_all_gradients(const Graph& training);

/// The operators, with those that `make` makes behind each that completes a bucket of gradients.
std::vector<Operator> behind_buckets(const Program& program, std::vector<Operator> compute,
                                     const std::function<std::vector<Operator>(const Bucket&)>& make);

/// The operators of a step, with those that complete the step before: for each bucket right before the first
/// operator that reads one of the bucket's parameters, or writes into the bucket.
std::vector<Operator> before_first_use(const Program& program, std::vector<Operator> operators,
                                       const std::function<std::vector<Operator>(const Bucket&)>& complete);

/// The end of a step: first the updates of gradients that lie in no bucket, since they need no sum. Then for
/// each bucket of gradients the operators that complete its sum, and behind them the updates that need no
/// other bucket. The first update that reads all gradients, such as their norm, and all
/// updates behind it follow the last bucket; with the commit point by_step all updates do.
std::vector<Operator> behind_sums(const Program& program, CommitPoint commit,
                                  const std::vector<Operator>& updates,
                                  const std::function<std::vector<Operator>(const Bucket&)>& complete);

/// The updates of each bucket: those for a parameter whose gradient lies in it, in the order in which they
/// are given.
class UpdatesByBucket {
  public:
    UpdatesByBucket(const Program& program, std::span<const Operator> updates);
    [[nodiscard]] std::vector<Operator> of(const Bucket& bucket) const;
    /// Those for parameters whose gradients lie in no bucket.
    [[nodiscard]] const std::vector<Operator>& of_no_bucket() const { return of_no_bucket_; }

  private:
    std::map<TensorId, std::vector<Operator>> by_storage_;
    std::vector<Operator> of_no_bucket_;
};

}  // namespace convoy
