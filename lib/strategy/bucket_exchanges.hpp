#pragma once

#include <span>
#include <vector>

#include "plan/cluster_model.hpp"
#include "program/program.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// Starting the sum of one of the program's buckets over all ranks, or waiting for it. Buckets take the
/// connections in turn. Where the strategy's algorithm is `auto`, the cluster's measurements decide it; sums
/// of pieces (top_k) stay `auto`. With top_k the bucket of residuals is a second operand. exact: the bucket's
/// exact sums travel.
Operator communicate(const Program& program, OperatorKind kind, const Bucket& bucket,
                     const StrategySpec& strategy, const ClusterModel& cluster, bool exact = false);

/// Appends to = factor from, for each of these parameters.
void copy_scaled(const Program& program, std::vector<Operator>& operators,
                 std::span<const Parameter* const> parameters, TensorId Parameter::*from,
                 TensorId Parameter::*to, double factor);

}  // namespace convoy
