#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "strategy/filter_parallel.hpp"
#include "strategy/hybrid.hpp"
#include "strategy/local_sgd.hpp"
#include "strategy/model_split.hpp"
#include "strategy/parameter_server.hpp"
#include "strategy/ring_allreduce.hpp"
#include "strategy/strategy.hpp"

namespace convoy {
namespace {

std::vector<std::int64_t> each_node(const ExperimentSpec& spec) {
    return one_replica_each(spec.world_size());
}

// On one node nothing is summed: `local` is what ring_allreduce compiles for one rank.
constexpr std::array<Strategy, 8> table{{
    {StrategyName::local, each_node, ring_allreduce_plan},
    {StrategyName::ring_allreduce, each_node, ring_allreduce_plan},
    {StrategyName::local_sgd, each_node, local_sgd_plan},
    {StrategyName::independent, each_node, independent_plan},
    {StrategyName::parameter_server, workers_and_servers, parameter_server_plan},
    {StrategyName::model_split, replicas_of_stages, model_split_plan},
    {StrategyName::hybrid, each_node, hybrid_plan},
    {StrategyName::filter_parallel, master_and_workers, filter_parallel_plan},
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
