#pragma once

#include <cstdint>

#include "exchange/schedule.hpp"

namespace convoy {

/// Exchanges with a root, and those between two ranks, as the steps of one rank for one block. Ranks are
/// positions in a group of size members.

/// The root adds the blocks of all others to its own, one step for each, in the order of the group: the sum
/// has the same bits in every run.
Turns push_turns(std::int64_t position, std::int64_t size, std::int64_t root, ElementRange block);

/// The root sends its block to each other member, one step for each, in the order of the group.
Turns pull_turns(std::int64_t position, std::int64_t size, std::int64_t root, ElementRange block);

/// The same down a binomial tree, in the fewest steps: the second half of tree_turns, turned so that the root
/// is at its top.
Turns broadcast_turns(std::int64_t position, std::int64_t size, std::int64_t root, ElementRange block);

/// The root gets the same block of the piece of each other member, one step for each, and stores it behind
/// the pieces of those before it in the group. block: within a piece, as each other member sends it; the
/// root's buffer has size pieces of so many elements, its own among them.
Turns gather_turns(std::int64_t position, std::int64_t size, std::int64_t root, std::uint64_t piece,
                   ElementRange block);

/// A block from one rank to another.
Turns send_turns(std::int64_t to, ElementRange block);
Turns receive_turns(std::int64_t from, ElementRange block);

}  // namespace convoy
