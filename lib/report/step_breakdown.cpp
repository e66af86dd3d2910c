#include "report/step_breakdown.hpp"

#include <algorithm>
#include <map>

namespace convoy {

namespace {

constexpr std::array<std::string_view, step_part_count> part_names{
    "convolution, forward", "convolution, backward", "dense layers",          "other operators",  "optimizer",
    "wait for data",        "exposed: network",      "exposed: slower nodes", "between operators"};

/// Whether the kind of a row, or its operator in the records of older versions, has this word.
bool mentions(const OperatorRecord& row, std::string_view kind, std::string_view operator_name) {
    return row.kind.find(kind) != std::string::npos ||
           row.operator_name.find(operator_name) != std::string::npos;
}

/// Sums over the rows of one node in training.
struct NodeSums {
    double step_us = 0.0;
    std::int64_t steps = 0;
    PartTimes parts;
    bool has_examples = false;
    bool told_operators = false;
};

/// Adds the steps that results hold. Where they hold each n-th, each stands for n.
void add_steps(const RunResults& results, std::map<std::int64_t, NodeSums>& nodes) {
    for (const auto& row : results.steps) {
        auto& sums = nodes[row.node];
        sums.step_us += row.step_us * static_cast<double>(results.step_stride);
        sums.steps += results.step_stride;
        sums.has_examples |= row.examples > 0;
    }
}

void add_parts(const OperatorRecord& row, PartTimes& parts) {
    if (row.communication) {
        parts[StepPart::slower_nodes] += row.communication->exposed_skew_us;
        parts[StepPart::network] += row.communication->exposed_us - row.communication->exposed_skew_us;
    } else if (!is_communication(row)) {
        // The start of an exchange is a part of its exposed time.
        parts[step_part_of(row)] += row.total_us;
    }
}

NodeStep mean_step(std::int64_t node, const NodeSums& sums) {
    const auto steps = static_cast<double>(sums.steps);
    NodeStep mean{.node = node, .step_us = sums.step_us / steps, .has_examples = sums.has_examples};
    double known_us = 0.0;
    for (std::size_t i = 0; i < step_part_count; ++i) {
        const auto part = static_cast<StepPart>(i);
        mean.parts[part] = sums.parts[part] / steps;
        known_us += mean.parts[part];
    }
    mean.parts[StepPart::rest] = std::max(0.0, mean.step_us - known_us);
    return mean;
}

std::vector<MeanExchange> mean_exchanges(const RunResults& results,
                                         const std::map<std::int64_t, NodeSums>& nodes) {
    std::vector<MeanExchange> means;
    std::map<std::string, std::map<std::int64_t, bool>> ranks;
    const bool some_train =
        std::ranges::any_of(nodes, [](const auto& node) { return node.second.has_examples; });
    for (const auto& row : results.operators) {
        const auto node = nodes.find(row.node);
        if (row.phase != RunPhase::train || !row.communication || node == nodes.end()) continue;
        if (some_train && !node->second.has_examples) continue;  // a server waits by design
        auto mean = std::ranges::find(means, row.name, &MeanExchange::name);
        if (mean == means.end()) mean = means.insert(means.end(), MeanExchange{.name = row.name});
        const auto steps = static_cast<double>(node->second.steps);
        mean->in_flight_us += row.communication->in_flight_us / steps;
        mean->hidden_us += row.communication->hidden_us / steps;
        mean->slower_nodes_us += row.communication->exposed_skew_us / steps;
        mean->network_us += (row.communication->exposed_us - row.communication->exposed_skew_us) / steps;
        ranks[row.name][row.node] = true;
    }
    for (auto& mean : means) {
        const auto count = static_cast<double>(ranks[mean.name].size());
        mean.in_flight_us /= count;
        mean.hidden_us /= count;
        mean.slower_nodes_us /= count;
        mean.network_us /= count;
    }
    return means;
}

}  // namespace

std::string_view step_part_name(StepPart part) {
    return part_names.at(static_cast<std::size_t>(part));
}

bool is_communication(const OperatorRecord& row) {
    // The records of older versions have no passes.
    return row.communication || row.pass == "communication" ||
           (row.pass.empty() && row.operator_name.ends_with("Start"));
}

StepPart step_part_of(const OperatorRecord& row) {
    if (is_of_data(row.operator_name)) return StepPart::data;
    if (row.pass == "update") return StepPart::update;
    if (mentions(row, "conv2d", "Conv2D")) {
        const bool backward = row.pass == "backward" || mentions(row, "backprop", "Backprop");
        return backward ? StepPart::convolution_backward : StepPart::convolution_forward;
    }
    if (mentions(row, "matmul", "MatMul")) return StepPart::dense;
    return row.pass.empty() && row.operator_name.starts_with("ResourceApply") ? StepPart::update
                                                                              : StepPart::other;
}

double PartTimes::computation_us() const {
    double sum = 0.0;
    for (const auto part : {StepPart::convolution_forward, StepPart::convolution_backward, StepPart::dense,
                            StepPart::other, StepPart::update})
        sum += (*this)[part];
    return sum;
}

MeanExchange& MeanExchange::operator+=(const MeanExchange& other) {
    in_flight_us += other.in_flight_us;
    hidden_us += other.hidden_us;
    network_us += other.network_us;
    slower_nodes_us += other.slower_nodes_us;
    return *this;
}

MeanExchange StepBreakdown::all_exchanges() const {
    MeanExchange all;
    for (const auto& exchange : exchanges) all += exchange;
    return all;
}

StepBreakdown step_breakdown(const RunResults& results) {
    std::map<std::int64_t, NodeSums> nodes;
    add_steps(results, nodes);
    for (const auto& row : results.operators) {
        const auto node = nodes.find(row.node);
        if (row.phase == RunPhase::train && !row.folded_into && node != nodes.end()) {
            add_parts(row, node->second.parts);
            node->second.told_operators = true;
        }
    }
    // Operators are told at the end of an epoch: a node that was lost before has steps only, and all of its
    // time would seem to be spent between operators. So are all nodes in the first epoch of a run under way.
    if (std::ranges::any_of(nodes, [](const auto& node) { return node.second.told_operators; }))
        std::erase_if(
            nodes, [](const auto& node) { return node.second.has_examples && !node.second.told_operators; });
    StepBreakdown breakdown{.nodes = {}, .exchanges = mean_exchanges(results, nodes)};
    for (const auto& [node, sums] : nodes) breakdown.nodes.push_back(mean_step(node, sums));
    return breakdown;
}

}  // namespace convoy
