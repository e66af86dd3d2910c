#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "train/node_programs.hpp"

namespace convoy {

/// Ranks that do the same in a step, but for their rank.
struct NodeClass {
    std::vector<std::int64_t> ranks;  ///< ascending, at least one
};

/// The ranks of a run, put into classes by the programs of a step of so many examples, in the order of each
/// class's first rank.
std::vector<NodeClass> node_classes(const ProgramSet& programs, std::int64_t world_size,
                                    std::int64_t global_examples);

/// "rank 0", "ranks 0 to 3", "ranks 0, 2 to 4".
std::string ranks_text(const std::vector<std::int64_t>& ranks);

}  // namespace convoy
