#pragma once

#include <cstdint>

#include "strategy/node_plan_builder.hpp"

namespace convoy {

/// Adds the programs with which a server handles the messages of workers that take steps apart (stale
/// synchronous parallel: Ho et al., "More Effective Distributed ML via a Stale Synchronous Parallel Parameter
/// Server", NIPS 2013). It adds a handler for each worker, and the steps, which the plan counts as one
/// message of each worker.
///
/// A message of a worker is its gradients, the mean over the worker's own examples, in all slices of this
/// server. It has a place of its own in memory, so messages of several workers travel at the same time. When
/// the whole message is there, the server updates the parameters with it. The new values take the place of
/// the gradients and travel back. One handler runs at a time, so all slices of an answer have the same
/// version. A server without slices has no handlers.
void add_handlers(NodePlanBuilder& plan, std::int64_t rank);

}  // namespace convoy
