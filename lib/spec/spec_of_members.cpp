#include "spec/spec_of_members.hpp"

#include <algorithm>

namespace convoy {

ExperimentSpec spec_of_members(const ExperimentSpec& spec, std::span<const std::int64_t> ranks) {
    auto own = spec;
    own.nodes.clear();
    for (const auto rank : ranks) own.nodes.push_back(spec.node(rank));
    own.faults.at_steps.clear();
    for (auto fault : spec.faults.at_steps) {
        const auto found = std::ranges::find(ranks, fault.node);
        if (found == ranks.end()) continue;
        fault.node = found - ranks.begin();
        own.faults.at_steps.push_back(fault);
    }
    return own;
}

}  // namespace convoy
