#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "report/step_breakdown.hpp"

namespace convoy {

/// The causes that can limit the speed of training.
enum class Limit : std::uint8_t { computation, network, slower_nodes, data, between_operators };
/// In words: "computation", "the network".
std::string_view limit_name(Limit limit);

/// The node with the most work of its own.
struct SlowestNode {
    std::int64_t node = 0;
    double own_us = 0.0;     ///< its own work in a step, see NodeStep::own_us
    double others_us = 0.0;  ///< the median of the other nodes that train
    /// How much longer it took, in per cent of the others' median.
    [[nodiscard]] double more_pct() const { return 100.0 * (own_us / others_us - 1.0); }
    /// Whether it stands out. Nodes that do the same work differ by some per cent in any case.
    [[nodiscard]] bool stands_out() const { return more_pct() >= 5.0; }
};

/// What readers ask first of a run's speed. Shares are of the step time, as means over the nodes that train.
/// Servers, which wait by design, do not count. A slowest node that stands out does not count either: the
/// other nodes wait for it, and its own time would hide that.
struct StepFindings {
    double computation_pct = 0.0, network_pct = 0.0, slower_nodes_pct = 0.0, data_pct = 0.0;
    double between_operators_pct = 0.0;
    Limit limit = Limit::computation;  ///< the largest of these shares
    /// Absent if fewer than two nodes do the same work. Servers do not count.
    std::optional<SlowestNode> slowest = {};
    /// The hidden part of the hidden and the exposed time of all exchanges; absent without communication.
    std::optional<double> hidden_pct = {};
    [[nodiscard]] double limit_pct() const;
    /// The slowest node, if it stands out; else nullptr.
    [[nodiscard]] const SlowestNode* slow_node() const {
        return slowest && slowest->stands_out() ? &*slowest : nullptr;
    }
    /// The limit in words; "waiting for node 3" where one node makes the others wait.
    [[nodiscard]] std::string limit_text() const;
};

/// Absent if no node did a step.
std::optional<StepFindings> step_findings(const StepBreakdown& breakdown);

}  // namespace convoy
