#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exchange/links.hpp"
#include "program/program.hpp"

namespace convoy {

/// Programs in the order in which they run: indices into NodePlan::programs.
using Sequence = std::vector<std::size_t>;

/// A training step on one split of a batch.
struct StepRoutine {
    Sequence first;   ///< where no step before left an exchange under way
    Sequence steady;  ///< where the step before left exchanges under way, which this one completes
    bool operator==(const StepRoutine&) const = default;
};

/// Which programs a node runs, and when.
struct Routine {
    std::vector<StepRoutine> steps;  ///< by split of the training batches, see EpochPlan::splits
    Sequence finish;                 ///< completes the exchanges that a step leaves under way
    Sequence average;                ///< behind every average_every-th step
    std::int64_t average_every = 0;  ///< 0: never
    Sequence before_evaluation;      ///< brings all nodes to the state that is evaluated
    std::vector<std::vector<Sequence>> evaluations;  ///< by evaluated data, then by split of its batches
    Sequence before_checkpoint;                      ///< brings all nodes to the state that is kept
    /// Sums two numbers over all nodes: those of the program's first bucket. Empty where one node decides
    /// alone.
    Sequence scores;
    bool operator==(const Routine&) const = default;
};

/// A parameter of the network, and a node's part in it.
struct HeldParameter {
    TensorInfo value;
    Parameter description;               ///< its tensor ids are those of the network's graph
    std::vector<TensorInfo> slots = {};  ///< the optimizer's state of it that the node holds
    std::optional<TensorInfo> residual = {};
    bool held = true;          ///< the node has it in memory
    bool one_layout = false;   ///< all nodes have it in one memory layout: sums travel as they lie there
    bool start_alike = false;  ///< all nodes hold it, and start from the same values
    bool alike = false;        ///< all nodes hold the same values between any two steps
    bool saved = false;        ///< this node gives the trained values
    bool kept = false;         ///< this node puts values, slots and residual into checkpoints
    bool operator==(const HeldParameter&) const = default;
};

/// All that one node does in a run. A value: the executor runs it, the simulator walks it, `convoy plan`
/// prints it.
struct NodePlan {
    std::int64_t rank = 0;
    std::string role;  ///< a word for tables: replica, server, stage 2 of 3
    std::vector<Program> programs;
    /// The programs, in order, that decide how parameters lie in memory: bound for the largest share of the
    /// cluster, so that all nodes decide alike.
    std::vector<Program> layouts;
    Routine routine;
    std::vector<HeldParameter> parameters;  ///< all of the network, in its order
    Links links;
    bool operator==(const NodePlan&) const = default;
};

}  // namespace convoy
