#include "report/step_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "measure/durations.hpp"

namespace convoy {

namespace {

using LimitShare = std::pair<Limit, double StepFindings::*>;
constexpr std::array<LimitShare, 5> limit_shares{
    {{Limit::computation, &StepFindings::computation_pct},
     {Limit::network, &StepFindings::network_pct},
     {Limit::slower_nodes, &StepFindings::slower_nodes_pct},
     {Limit::data, &StepFindings::data_pct},
     {Limit::between_operators, &StepFindings::between_operators_pct}}};

std::optional<SlowestNode> slowest_of(const std::vector<NodeStep>& nodes) {
    std::vector<const NodeStep*> alike;
    for (const auto& node : nodes)
        if (node.has_examples) alike.push_back(&node);
    if (alike.size() < 2) return std::nullopt;
    const auto slowest =
        std::ranges::max_element(alike, {}, [](const NodeStep* node) { return node->own_us(); });
    SlowestNode found{.node = (*slowest)->node, .own_us = (*slowest)->own_us()};
    alike.erase(slowest);
    std::vector<double> others;
    for (const auto* node : alike) others.push_back(node->own_us());
    found.others_us = median(std::move(others));
    if (found.others_us <= 0.0) return std::nullopt;
    return found;
}

}  // namespace

std::string_view limit_name(Limit limit) {
    constexpr std::array<std::string_view, 5> names{"computation", "the network", "waiting for slower nodes",
                                                    "waiting for data", "work between operators"};
    return names.at(static_cast<std::size_t>(limit));
}

double StepFindings::limit_pct() const {
    return this->*limit_shares.at(static_cast<std::size_t>(limit)).second;
}

std::string StepFindings::limit_text() const {
    if (const auto* slow = slow_node(); slow != nullptr && limit == Limit::slower_nodes)
        return fmt::format("waiting for node {}", slow->node);
    return std::string(limit_name(limit));
}

std::optional<StepFindings> step_findings(const StepBreakdown& breakdown) {
    StepFindings found{.slowest = slowest_of(breakdown.nodes)};
    const auto* const slow = found.slow_node();
    double all_us = 0.0;
    const bool some_train = std::ranges::any_of(breakdown.nodes, &NodeStep::has_examples);
    for (const auto& node : breakdown.nodes) {
        if (some_train && !node.has_examples) continue;
        if (slow != nullptr && slow->node == node.node) continue;
        all_us += node.step_us;
        found.computation_pct += node.parts.computation_us();
        found.network_pct += node.parts[StepPart::network];
        found.slower_nodes_pct += node.parts[StepPart::slower_nodes];
        found.data_pct += node.parts[StepPart::data];
        found.between_operators_pct += node.parts[StepPart::rest];
    }
    if (all_us <= 0.0) return std::nullopt;
    for (const auto& [limit, share] : limit_shares) {
        found.*share *= 100.0 / all_us;
        if (found.*share > found.limit_pct()) found.limit = limit;
    }
    if (const auto all = breakdown.all_exchanges(); all.length_us() > 0.0)
        found.hidden_pct = all.hidden_pct();
    return found;
}

}  // namespace convoy
