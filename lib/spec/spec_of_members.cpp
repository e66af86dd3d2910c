#include "spec/spec_of_members.hpp"

namespace convoy {

ExperimentSpec spec_of_members(const ExperimentSpec& spec, std::span<const std::int64_t> ranks) {
    auto own = spec;
    own.nodes.clear();
    for (const auto rank : ranks)
        if (rank < spec.world_size()) own.nodes.push_back(spec.node(rank));
    own.faults = {};  // their nodes are those of the beginning
    return own;
}

}  // namespace convoy
