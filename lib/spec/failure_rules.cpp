#include "spec/failure_rules.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "spec/sections.hpp"

namespace convoy {
namespace {

/// A run that goes on with its other nodes needs all of its state in each of them, and whole steps. Between
/// two steps nodes wait for each other in nothing but sums of gradients.
void check_shrink(const ExperimentSpec& spec, const Place& place) {
    const auto& strategy = spec.strategy;
    const auto place_of_strategy = place.key("strategy");
    constexpr auto policy = " with the policy \"shrink\"";
    const bool serves = strategy.name == StrategyName::parameter_server;
    if (strategy.name != StrategyName::ring_allreduce && !serves)
        place_of_strategy.key("name").refuse(
            strategy_field(strategy, "name"),
            fmt::format(
                "\"ring_allreduce\" or \"parameter_server\"{}: a lost node of another strategy takes a "
                "part of the network or of its state with it",
                policy));
    if (serves && !is_asynchronous(strategy))
        place_of_strategy.key("staleness")
            .refuse(0,
                    fmt::format("null or a number above 0{}: workers that take steps together wait for the "
                                "one that is lost",
                                policy));
    if (serves && spec.failures.grow)
        place.key("failures")
            .key("grow")
            .refuse(true,
                    "false with the strategy \"parameter_server\": the others do not wait for a worker that "
                    "joins");
    if (!serves && strategy.commit != CommitPoint::by_step)
        place_of_strategy.key("commit").refuse(
            strategy_field(strategy, "commit"),
            fmt::format("\"by_step\"{}: a node that is lost must not leave half of a step", policy));
    if (spec.sharding.scheme != ShardingScheme::global_batch)
        place.key("sharding")
            .key("scheme")
            .refuse(std::string(scheme_name(spec.sharding.scheme)),
                    fmt::format("\"global_batch\"{}: epochs would leave out the examples that a lost node "
                                "keeps for itself",
                                policy));
    if (strategy.balance.by != BalanceBy::equal)
        place_of_strategy.key("balance").refuse(
            strategy_field(strategy, "balance"),
            fmt::format("\"equal\"{}: its weights are of the nodes of the beginning", policy));
    if (spec.schedule.scale_by_nodes)
        place.key("schedule")
            .key("scale_by_nodes")
            .refuse(true, fmt::format("false{}: the batch stays when a node is lost", policy));
    if (spec.checkpoints)
        place.key("checkpoints")
            .refuse({{"every_steps", spec.checkpoints->every_steps}, {"keep", spec.checkpoints->keep}},
                    fmt::format("null{}", policy));
    if (spec.early_stopping.patience)
        place.key("early_stopping")
            .key("patience")
            .refuse(*spec.early_stopping.patience, fmt::format("null{}", policy));
    if (spec.target && spec.target->stop)
        place.key("target").key("stop").refuse(true, fmt::format("false{}", policy));
    if (spec.cluster) place.key("cluster").refuse(nlohmann::json::object(), fmt::format("null{}", policy));
}

}  // namespace

void check_failures(const ExperimentSpec& spec, const Place& place) {
    if (spec.failures.grow && spec.failures.policy != FailurePolicy::shrink) {
        place.key("failures")
            .key("grow")
            .refuse(true,
                    "false: nodes join a run only if it goes on without those it loses, by the policy "
                    "\"shrink\"");
    }
    if (const auto beat = spec.failures.heartbeat_s; beat && 2.0 * *beat > spec.deadline_s) {
        place.key("failures")
            .key("heartbeat_s")
            .refuse(*beat, fmt::format("at most {}, half of deadline_s", spec.deadline_s / 2.0));
    }
    if (spec.failures.policy == FailurePolicy::shrink) check_shrink(spec, place);
}

}  // namespace convoy
