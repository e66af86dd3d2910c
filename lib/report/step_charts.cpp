#include "report/step_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/time_unit.hpp"

namespace convoy {

namespace {

constexpr std::size_t most_node_bars = 24, most_exchange_bars = 20;

/// Puts parts one behind the other.
class StackedRow {
  public:
    StackedRow(std::string label, const TimeUnit& unit) : unit_(unit) { row_.label = std::move(label); }
    void add(double us, Tone tone, std::string_view name) {
        if (us <= 0.0) return;
        const double from = at_us_ / unit_.us;
        at_us_ += us;
        row_.pieces.push_back(
            {from, at_us_ / unit_.us, tone, fmt::format("{}: {:.3g} {}", name, us / unit_.us, unit_.name)});
    }
    ChartRow with_end(std::string end) {
        row_.end = std::move(end);
        return std::move(row_);
    }

  private:
    TimeUnit unit_;
    double at_us_ = 0.0;
    ChartRow row_;
};

ChartRow row_of(const NodeStep& node, std::string label, const TimeUnit& unit) {
    StackedRow row(std::move(label), unit);
    for (std::size_t i = 0; i < step_part_count; ++i) {
        const auto part = static_cast<StepPart>(i);
        row.add(node.parts[part], tone_of_part(part), step_part_name(part));
    }
    return row.with_end(fmt::format("{:.2f} {}", node.step_us / unit.us, unit.name));
}

NodeStep mean_of(const std::vector<NodeStep>& nodes) {
    NodeStep mean;
    const auto count = static_cast<double>(nodes.size());
    for (const auto& node : nodes) {
        mean.step_us += node.step_us / count;
        for (std::size_t i = 0; i < step_part_count; ++i) {
            const auto part = static_cast<StepPart>(i);
            mean.parts[part] += node.parts[part] / count;
        }
    }
    return mean;
}

ChartRow row_of(const MeanExchange& exchange, const TimeUnit& unit) {
    StackedRow row(exchange.name, unit);
    row.add(exchange.hidden_us, Tone::ink, "hidden");
    row.add(exchange.network_us, tone_of_part(StepPart::network), step_part_name(StepPart::network));
    row.add(exchange.slower_nodes_us, tone_of_part(StepPart::slower_nodes),
            step_part_name(StepPart::slower_nodes));
    return row.with_end(fmt::format("{:.0f}% hidden", exchange.hidden_pct()));
}

/// Keeps the longest exchanges in their order, and sums up the others.
std::vector<MeanExchange> few_of(std::vector<MeanExchange> exchanges) {
    if (exchanges.size() <= most_exchange_bars) return exchanges;
    std::vector<double> lengths;
    for (const auto& exchange : exchanges) lengths.push_back(exchange.length_us());
    std::ranges::sort(lengths, std::greater());
    const double least = lengths[most_exchange_bars - 1];
    MeanExchange others;
    std::size_t left_out = 0;
    std::vector<MeanExchange> few;
    for (auto& exchange : exchanges) {
        if (exchange.length_us() > least) {
            few.push_back(std::move(exchange));
            continue;
        }
        ++left_out;
        others += exchange;
    }
    others.name = fmt::format("{} others", left_out);
    few.push_back(std::move(others));
    return few;
}

}  // namespace

Tone tone_of_part(StepPart part) {
    constexpr std::array<Tone, step_part_count> tones{Tone::blue,      Tone::sky,    Tone::green,
                                                      Tone::grey,      Tone::yellow, Tone::orange,
                                                      Tone::vermilion, Tone::purple, Tone::pale};
    return tones.at(static_cast<std::size_t>(part));
}

RowChart step_parts_chart(const StepBreakdown& breakdown) {
    double longest_us = 0.0;
    for (const auto& node : breakdown.nodes) longest_us = std::max(longest_us, node.step_us);
    const auto unit = time_unit(longest_us);
    RowChart chart{.title = "Where the step went",
                   .description = "The mean training step of each node.",
                   .x_title = fmt::format("{} a step", unit.name)};
    auto shown = breakdown.nodes;
    if (shown.size() > most_node_bars) {
        chart.description = fmt::format(
            "The mean training step: of all {} nodes, and of the {} nodes with the most work of their own.",
            shown.size(), most_node_bars - 1);
        chart.rows.push_back(row_of(mean_of(shown), "mean", unit));
        std::ranges::stable_sort(shown, std::greater(), &NodeStep::own_us);
        shown.resize(most_node_bars - 1);
        std::ranges::sort(shown, {}, &NodeStep::node);
    }
    for (const auto& node : shown)
        chart.rows.push_back(row_of(node, fmt::format("node {}", node.node), unit));
    const auto mean = mean_of(breakdown.nodes);
    for (std::size_t i = 0; i < step_part_count; ++i) {
        const auto part = static_cast<StepPart>(i);
        if (mean.parts[part] > 0.0)
            chart.legend.emplace_back(tone_of_part(part), std::string(step_part_name(part)));
    }
    return chart;
}

RowChart exchanges_chart(const StepBreakdown& breakdown) {
    const auto shown = few_of(breakdown.exchanges);
    double longest_us = 0.0;
    for (const auto& exchange : shown) longest_us = std::max(longest_us, exchange.length_us());
    const auto unit = time_unit(longest_us);
    RowChart chart{.title = "Hidden against exposed communication",
                   .description =
                       "Each exchange in a step, as a mean over the nodes. Hidden: in flight while the "
                       "node computed. Exposed: the step waited. % of both together.",
                   .x_title = fmt::format("{} a step", unit.name),
                   .legend = {{Tone::ink, "hidden"},
                              {tone_of_part(StepPart::network), "exposed: network"},
                              {tone_of_part(StepPart::slower_nodes), "exposed: slower nodes"}}};
    for (const auto& exchange : shown) chart.rows.push_back(row_of(exchange, unit));
    return chart;
}

}  // namespace convoy
