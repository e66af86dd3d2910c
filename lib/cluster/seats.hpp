#pragma once

#include <vector>

#include "cluster/launcher.hpp"
#include "cluster/member.hpp"

namespace convoy {

/// The seats of a run, by rank: which nodes the launcher starts, and how many compute threads each has. Where
/// the spec says no number, the nodes of one machine share its cores.
std::vector<Seat> seats_of(const LaunchOptions& options);

}  // namespace convoy
