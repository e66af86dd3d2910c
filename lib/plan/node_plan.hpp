#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exchange/links.hpp"
#include "program/program.hpp"
#include "tensor/tensor_slice.hpp"

namespace convoy {

/// Programs in the order in which they run: indices into NodePlan::programs.
using Sequence = std::vector<std::size_t>;

/// The programs of a training step, for one split of a batch.
struct StepRoutine {
    Sequence first;   ///< if no exchange of an earlier step is under way
    Sequence steady;  ///< if the step before left exchanges under way; this step completes them
    bool operator==(const StepRoutine&) const = default;
};

/// The programs that handle the messages of one other rank. One message after the other runs through them:
/// receive, update, answer, sent. A node handles the messages of several ranks in the order of their arrival.
struct MessageHandler {
    std::int64_t peer = 0;  ///< the rank that sends the messages
    Sequence receive;       ///< starts to receive the next message
    Sequence update;        ///< begins when the whole message is there
    Sequence answer;        ///< starts to send the answer
    Sequence sent;          ///< begins when the whole answer is sent
    /// In the place of `update` for a message that was handled before the peer sent it again; where a run may
    /// lose nodes and go on.
    Sequence drop = {};
    bool operator==(const MessageHandler&) const = default;
};

/// The programs that a node runs in each phase of a run.
struct Routine {
    std::vector<StepRoutine> steps;  ///< one for each split of the training batches, see EpochPlan::splits
    /// A node with handlers runs them for its steps: a step is over when it has handled this step's message
    /// of each peer. `steps` then has the programs of one message of each peer.
    std::vector<MessageHandler> handlers;
    /// With handlers: the answer to a peer is held back while the peer is more steps ahead of the slowest
    /// peer. Absent: never.
    std::optional<std::int64_t> most_ahead;
    Sequence finish;                                 ///< completes the exchanges that a step leaves under way
    Sequence average;                                ///< runs behind every average_every-th step
    std::int64_t average_every = 0;                  ///< 0: never
    Sequence before_evaluation;                      ///< makes the state of all nodes ready for an evaluation
    std::vector<std::vector<Sequence>> evaluations;  ///< by index of the evaluated data, then by split
    Sequence before_checkpoint;                      ///< makes the state of all nodes ready for a checkpoint
    /// Sums two numbers over all nodes, in the first bucket of the program. Empty if the run has one rank, or
    /// if no decision needs these sums.
    Sequence scores;
    bool operator==(const Routine&) const = default;
};

/// A parameter of the network, and marks that say what this node does with it.
struct HeldParameter {
    TensorInfo value;                    ///< the whole parameter, under its name
    Parameter description;               ///< its tensor ids are those of the network's graph
    std::vector<TensorInfo> slots = {};  ///< the optimizer state that this node holds, as whole tensors
    std::optional<TensorInfo> residual = {};
    /// The part that this node has in memory, and the same part of each slot and of the residual. In the
    /// node's programs the parameter has the shape of this part. Absent: the node has nothing of it.
    std::optional<TensorSlice> part = {};
    /// All nodes have the parameter in the same memory layout, so sums travel without a reorder.
    bool one_layout = false;
    bool start_alike = false;  ///< all nodes hold it and begin with the same values
    bool alike = false;        ///< all nodes hold the same values between any two steps
    bool saved = false;        ///< this node writes the trained values
    bool kept = false;         ///< this node writes values, slots and residual into checkpoints
    bool operator==(const HeldParameter&) const = default;
};

/// The data that a node reads.
struct DataRole {
    bool values = false;   ///< the values of at least one input
    bool labels = false;   ///< the label of each example
    bool numbers = false;  ///< the number of each example, for random numbers
    bool operator==(const DataRole&) const = default;
};

/// All work of one node in a run. It is a value: the executor runs it, and `convoy plan` prints it.
struct NodePlan {
    std::int64_t rank = 0;
    std::string role;  ///< text for tables: replica, server, stage 2 of 3
    std::vector<Program> programs;
    /// The programs, in order, that decide the memory layout of the parameters. They have the batch of the
    /// largest share of the cluster, so all nodes choose the same layout.
    std::vector<Program> layouts;
    Routine routine;
    DataRole data;                          ///< the data that its programs read
    std::vector<HeldParameter> parameters;  ///< all parameters of the network, in its order
    /// The nodes that hold the same parameters, in words: "stage 2". Marks such as HeldParameter::alike are
    /// about these nodes. Empty: all nodes.
    std::string alike_with = {};
    Links links;
    bool operator==(const NodePlan&) const = default;
};

}  // namespace convoy
