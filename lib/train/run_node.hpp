#pragma once

#include <optional>

#include "job/node_job.hpp"
#include "job/node_network.hpp"
#include "train/node_data.hpp"
#include "train/node_run.hpp"

namespace convoy {

/// What a process keeps of its node while the run goes on without nodes that were lost.
struct KeptNode {
    std::optional<NodeData> data;
    std::optional<NodeCheckpoint> state;
    PastMessages messages;  ///< of a server
    double slowness = 1.0;  ///< see NodeRun
};

/// Runs one node's part of an experiment in the calling thread: it compiles the plan, reads the data, trains
/// and evaluates. Throws an Error of the kind of the failure. The failure of a peer is a NodeLostError or a
/// DeadlineError.
///
/// kept: where the policy of the spec is to go on without lost nodes, the function puts data and state there
/// when it loses a peer in training, tells the reporter (NodeReporter::suspend), and returns. With a
/// generation above 0, it goes on with what is there.
void run_node(NodeAssignment assignment, Network& network, NodeReporter& reporter, KeptNode& kept);
/// The same, for a process that takes part in one run only, and keeps nothing.
void run_node(NodeAssignment assignment, Network& network, NodeReporter& reporter);

}  // namespace convoy
