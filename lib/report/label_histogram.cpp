#include "report/label_histogram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "report/columns.hpp"

namespace convoy {

namespace {

constexpr std::size_t most_node_rows = 24;
/// Neighbours are unlike; a network of more classes has colours several times.
constexpr std::array<Tone, 10> label_tones{Tone::blue, Tone::orange,    Tone::green,  Tone::purple,
                                           Tone::sky,  Tone::vermilion, Tone::yellow, Tone::grey,
                                           Tone::ink,  Tone::pale};

std::int64_t all_of(const NodeSummary& node) {
    return std::accumulate(node.label_counts.begin(), node.label_counts.end(), std::int64_t{0});
}

ChartRow histogram_row(const NodeSummary& node) {
    ChartRow row{.label = fmt::format("node {}", node.node)};
    std::int64_t before = 0;
    std::int64_t classes = 0;
    for (std::size_t label = 0; label < node.label_counts.size(); ++label) {
        const auto count = node.label_counts[label];
        if (count == 0) continue;
        row.pieces.push_back({static_cast<double>(before), static_cast<double>(before + count),
                              label_tones.at(label % label_tones.size()),
                              fmt::format("label {}: {} examples", label, count)});
        before += count;
        ++classes;
    }
    row.end = fmt::format("{} of {} classes", classes, node.label_counts.size());
    return row;
}

}  // namespace

std::vector<LabelCount> label_counts(const RunResults& results) {
    std::vector<LabelCount> counts;
    for (const auto& node : results.summaries) {
        for (std::int64_t label = 0; const auto examples : node.label_counts)
            counts.push_back({.node = node.node, .label = label++, .examples = examples});
    }
    return counts;
}

Table label_histogram_table(const RunResults& results) {
    using namespace columns;
    Table table{"label_histogram", "Training examples of each class in the first epoch", {}, {}};
    table.columns = {count("node"), count("label"), count("examples"), percent("share")};
    table.columns.back().bar = true;
    for (const auto& node : results.summaries) {
        const auto all = static_cast<double>(all_of(node));
        for (std::int64_t label = 0; const auto examples : node.label_counts)
            table.rows.push_back(
                {node.node, label++, examples, share_pct(static_cast<double>(examples), all)});
    }
    return table;
}

RowChart label_histogram_chart(const RunResults& results) {
    RowChart chart{.title = "Labels of each node",
                   .description = "The training examples of each class that a node takes in the first epoch.",
                   .x_title = "examples"};
    std::size_t classes = 0;
    std::size_t nodes = 0;
    for (const auto& node : results.summaries) {
        if (node.label_counts.empty() || ++nodes > most_node_rows) continue;
        classes = std::max(classes, node.label_counts.size());
        chart.rows.push_back(histogram_row(node));
    }
    if (nodes > most_node_rows)
        chart.description += fmt::format(" The first {} of {} nodes.", most_node_rows, nodes);
    if (classes > label_tones.size()) {
        chart.description += " Colours repeat; the pieces are in the order of the labels.";
        return chart;
    }
    for (std::size_t label = 0; label < classes; ++label)
        chart.legend.emplace_back(label_tones.at(label), fmt::format("{}", label));
    return chart;
}

}  // namespace convoy
