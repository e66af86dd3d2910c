#include "spec/fault_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace convoy {
namespace {

void check_node(const ExperimentSpec& spec, std::int64_t node, const Place& place) {
    const auto ranks = spec.rank_count();
    if (node < ranks) return;
    const auto servers = ranks - spec.world_size();
    place.refuse(node,
                 fmt::format("one of the {} nodes{}, counted from 0", ranks,
                             servers > 0 ? fmt::format(" (the last {} of them servers)", servers) : ""));
}

/// By the policy, a run that loses a node ends, or goes on without it.
void check_after_losses(const ExperimentSpec& spec, const Place& place) {
    const auto& faults = spec.faults.at_steps;
    const bool shrinks = spec.failures.policy == FailurePolicy::shrink;
    // Nodes that shrink make new connections.
    const auto ends_node = [shrinks](FaultKind kind) {
        return !is_survived(kind) && !(shrinks && kind == FaultKind::drop_link);
    };
    const auto is_lost_before = [&](const FaultSpec& fault, const FaultSpec& other) {
        return ends_node(other.kind) && other.step < fault.step;
    };
    // No run goes on without a server.
    const auto ends_run = [&](const FaultSpec& fault) {
        return spec.failures.policy == FailurePolicy::abort || (shrinks && fault.node >= spec.world_size());
    };
    std::set<std::int64_t> lost;
    for (std::size_t i = 0; i < faults.size(); ++i) {
        const auto& fault = faults[i];
        if (ends_node(fault.kind) && fault.node < spec.world_size()) lost.insert(fault.node);
        for (const auto& other : faults) {
            if (!is_lost_before(fault, other)) continue;
            if (ends_run(other))
                place.item(i).key("step").refuse(
                    fault.step,
                    fmt::format("at most {}: with the policy \"{}\" the run ends by the fault{} at that step",
                                other.step, shrinks ? "shrink" : "abort", shrinks ? " of a server" : ""));
            if (shrinks && !spec.failures.grow && other.node == fault.node)
                place.item(i).key("node").refuse(
                    fault.node, fmt::format("a node that is there: it is lost at step {}, and with the "
                                            "policy \"shrink\" nothing takes its place without grow",
                                            other.step));
        }
    }
    if (shrinks && !spec.failures.grow && std::ssize(lost) == spec.world_size())
        place.refuse(faults.size(), "one node at least that no fault ends, with the policy \"shrink\"");
}

/// In a run without exchanges, nobody finds out.
void check_waited_for(const ExperimentSpec& spec, const FaultSpec& fault, const Place& place) {
    if (fault.kind != FaultKind::drop_link && fault.kind != FaultKind::deadlock) return;
    if (spec.rank_count() == 1)
        place.refuse(fault_name(fault.kind),
                     "another kind: in a run of one node, no other node waits for it");
    if (spec.strategy.name == StrategyName::independent)
        place.refuse(fault_name(fault.kind),
                     "another kind: with the strategy \"independent\", no node waits for another in a step");
}

}  // namespace

void check_faults(const ExperimentSpec& spec, const Place& place) {
    if (const auto& random = spec.faults.random) {
        for (std::size_t i = 0; i < random->nodes.size(); ++i)
            check_node(spec, random->nodes[i], place.key("nodes").item(i));
        return;
    }
    const auto& faults = spec.faults.at_steps;
    std::set<std::pair<std::int64_t, std::int64_t>> seen;
    for (std::size_t i = 0; i < faults.size(); ++i) {
        const auto at = place.item(i);
        check_node(spec, faults[i].node, at.key("node"));
        if (!seen.emplace(faults[i].node, faults[i].step).second)
            at.key("step").refuse(
                faults[i].step,
                fmt::format("another step: node {} has a fault at it already", faults[i].node));
        check_waited_for(spec, faults[i], at.key("kind"));
    }
    check_after_losses(spec, place);
}

}  // namespace convoy
