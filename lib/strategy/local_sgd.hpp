#pragma once

#include "plan/cluster_model.hpp"
#include "program/program.hpp"
#include "spec/experiment_spec.hpp"
#include "strategy/strategy.hpp"

namespace convoy {

/// Periodic averaging, or local SGD (Stich, arXiv:1805.09767): every node trains on its own examples, and
/// every few steps all go on from the mean of their weights. Optimizers' slots stay each node's own.
///
/// Makes an instantiated training program one of a node that trains alone until the next average, or for
/// good: its gradients are means over its own examples, and nothing is exchanged.
void train_alone(Program& program);

/// The program that brings the trained weights to their mean over all nodes: each is written, times the
/// node's part in the mean, where its gradient lies, between two steps; the gradients' buckets are summed as
/// float32, and read back. Training programs have the same buckets (plan_buckets). part: the parts of all
/// nodes add up to 1.
Program weight_average(const Graph& training, const StrategySpec& strategy, const ClusterModel& cluster,
                       const Placement& placement, double part);

/// Local SGD; and nodes that never meet, each of which trains on its own examples.
NodePlan local_sgd_plan(const CompileInput& input, std::int64_t rank);
NodePlan independent_plan(const CompileInput& input, std::int64_t rank);

}  // namespace convoy
