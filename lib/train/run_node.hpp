#pragma once

#include "job/node_job.hpp"

namespace convoy {

/// Runs one node's part of an experiment from reading the data to the last evaluation, in the calling thread.
/// Throws an Error of the kind that went wrong; a peer's failure surfaces as NodeLostError or DeadlineError.
void run_node(const NodeAssignment& assignment, Communicator& communicator, NodeReporter& reporter);

}  // namespace convoy
