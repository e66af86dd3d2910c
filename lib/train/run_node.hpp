#pragma once

#include "job/node_job.hpp"
#include "job/node_network.hpp"

namespace convoy {

/// Runs one node's part of an experiment in the calling thread: it compiles the plan, reads the data, trains
/// and evaluates. Throws an Error of the kind of the failure. The failure of a peer is a NodeLostError or a
/// DeadlineError.
void run_node(const NodeAssignment& assignment, Network& network, NodeReporter& reporter);

}  // namespace convoy
