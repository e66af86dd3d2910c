#include "spec/surviving_nodes.hpp"

namespace convoy {

ExperimentSpec spec_of_survivors(const ExperimentSpec& spec, std::span<const std::int64_t> ranks) {
    auto smaller = spec;
    smaller.nodes.clear();
    for (const auto rank : ranks) smaller.nodes.push_back(spec.node(rank));
    return smaller;
}

}  // namespace convoy
