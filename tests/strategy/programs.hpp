#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "plan/node_plan.hpp"
#include "program/program.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy::test {

using Lines = std::vector<std::string>;

/// The training graph of mnist_cnn with plain gradient descent. Operators are plain.
Graph mnist_cnn();

/// The same of a small residual network, with penalties and moving statistics.
Graph small_resnet();

/// A run of so many nodes with this strategy.
ExperimentSpec spec_for(std::size_t nodes, std::int64_t batch_size, const StrategySpec& strategy = {});

/// What a strategy makes of a training step, for ranks with these shares of a batch. With overlap_forward: of
/// a step behind another.
std::vector<Program> compile_for(const std::vector<std::int64_t>& shares, const StrategySpec& strategy,
                                 const Graph& graph, bool fusion = true);
std::vector<Program> compile_for(const std::vector<std::int64_t>& shares, const StrategySpec& strategy = {});

/// The plans of all ranks for a run of so many examples in batches of spec.batch_size.
std::vector<NodePlan> plans_for(const ExperimentSpec& spec, const Graph& training, std::int64_t examples,
                                std::int64_t tested = 0);

/// The program that begins a steady step of a plan.
const Program& step_of(const NodePlan& plan);

/// What a plan says of the parameter of this name.
const HeldParameter& held_by(const NodePlan& plan, const std::string& name);

/// The elements that a rank sends to others in sends, pulls and pushes of a step.
std::int64_t elements_sent(const Program& program, std::int64_t rank);

/// "Kind name" of every operator behind the forward pass.
Lines short_text(const Program& program);

/// The names of a bucket's tensors.
Lines names(const Program& program, const Bucket& bucket);

/// The updates that follow mnist_cnn's first and second bucket.
extern const Lines updates_of_first, updates_of_second;

Lines operator+(Lines left, const Lines& right);

}  // namespace convoy::test
