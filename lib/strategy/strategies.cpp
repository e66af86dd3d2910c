#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "strategy/local_sgd.hpp"
#include "strategy/ring_allreduce.hpp"
#include "strategy/strategy.hpp"

namespace convoy {
namespace {

std::int64_t nodes_of(const ExperimentSpec& spec) {
    return spec.world_size();
}

// On one node nothing is summed: `local` is what ring_allreduce compiles for one rank.
constexpr std::array<Strategy, 4> table{{
    {StrategyName::local, nodes_of, ring_allreduce_plan},
    {StrategyName::ring_allreduce, nodes_of, ring_allreduce_plan},
    {StrategyName::local_sgd, nodes_of, local_sgd_plan},
    {StrategyName::independent, nodes_of, independent_plan},
}};

}  // namespace

std::span<const Strategy> strategies() {
    return table;
}

const Strategy& strategy_of(StrategyName name) {
    const auto found = std::ranges::find(table, name, &Strategy::name);
    if (found == table.end()) throw InternalError("a strategy without a row");
    return *found;
}

}  // namespace convoy
