#pragma once

#include <cstdint>

#include "exchange/schedule.hpp"

namespace convoy {

/// Algorithms of exchanges with a root and of exchanges between two ranks. Each function returns the steps of
/// one rank for one block. Ranks are positions in a group with `size` members.

/// The root adds the blocks of all others to its own, one step for each, in the order of the group from the
/// root on: the sum has the same bits in every run.
Turns push_turns(std::int64_t position, std::int64_t size, std::int64_t root, ElementRange block);

/// The root sends its block to each other member, one step for each, in the order of the group
/// from the root on.
Turns pull_turns(std::int64_t position, std::int64_t size, std::int64_t root, ElementRange block);

/// The sum comes to the root along the group: the last member from the root on sends its block to the one
/// before it, which adds it to its own and sends the sum on.
Turns chain_push_turns(std::int64_t position, std::int64_t size, std::int64_t root, ElementRange block);

/// The block goes from the root along the group, each member to the next. Blocks follow one another, so all
/// links work at the same time.
Turns chain_pull_turns(std::int64_t position, std::int64_t size, std::int64_t root, ElementRange block);

/// The root sends its block to each other member, down a binomial tree. This takes the fewest steps. It is
/// the second half of tree_turns, with the root at the top of the tree.
Turns broadcast_turns(std::int64_t position, std::int64_t size, std::int64_t root, ElementRange block);

/// The root receives the same block of the piece of each other member, one step for each, and stores it at
/// the member's place. The root's buffer has `size` pieces of `piece` elements in the order of the group; one
/// of them is its own. block: a range within a piece.
Turns gather_turns(std::int64_t position, std::int64_t size, std::int64_t root, std::uint64_t piece,
                   ElementRange block);

/// One rank sends a block to another rank, which receives it.
Turns send_turns(std::int64_t to, ElementRange block);
Turns receive_turns(std::int64_t from, ElementRange block);

}  // namespace convoy
