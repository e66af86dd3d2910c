#pragma once

#include <cstdint>
#include <vector>

#include "strategy/strategy.hpp"

namespace convoy {

/// The nodes are workers; servers come on top, behind them. By rank: each worker is a replica, a server none.
std::vector<std::int64_t> workers_and_servers(const ExperimentSpec& spec);

/// Parameter servers (Li et al., "Scaling Distributed Machine Learning with the Parameter Server", OSDI
/// 2014). Each worker computes gradients on its share and pushes each slice of a bucket, once the bucket is
/// complete, to the server of the slice (see server_slices). The server adds the gradients in the order of
/// the workers, updates the slice's parameters, whose optimizer state it alone holds, and the workers pull
/// the new values.
///
/// With `staleness` workers take steps apart: see add_handlers. Throws DataError if a worker then has no
/// example of some batch.
NodePlan parameter_server_plan(const CompileInput& input, std::int64_t rank);

}  // namespace convoy
