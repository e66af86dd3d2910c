#pragma once

#include "job/node_job.hpp"
#include "job/node_network.hpp"

namespace convoy {

/// Runs one node's part of an experiment, from its plan to the last evaluation, in the calling thread.
/// Throws an Error of the kind that went wrong; a peer's failure surfaces as NodeLostError or DeadlineError.
void run_node(const NodeAssignment& assignment, Network& network, NodeReporter& reporter);

}  // namespace convoy
