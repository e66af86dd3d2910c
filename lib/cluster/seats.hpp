#pragma once

#include <vector>

#include "cluster/launcher.hpp"
#include "cluster/member.hpp"

namespace convoy {

/// The seats of a run, by rank. A seat says whether the launcher starts the node, and how many compute
/// threads it has. If the spec gives no number of threads, the nodes of one machine share its cores.
std::vector<Seat> seats_of(const LaunchOptions& options);

}  // namespace convoy
