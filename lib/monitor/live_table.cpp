#include "monitor/live_table.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "monitor/hold_ups.hpp"
#include "report/columns.hpp"

namespace convoy {

namespace {

using namespace columns;

Column megabytes_per_second(std::string name) {
    return {.name = std::move(name), .unit = "bytes_per_s", .left = false, .shown = {"MB/s", 1e6, 2}};
}

struct RecentMeans {
    double step_us = 0.0, wait_us = 0.0;
    std::int64_t examples = 0;
};

RecentMeans recent_of(const NodeFigures& node) {
    RecentMeans sums;
    for (const auto& step : node.recent) {
        sums.step_us += step.step_us;
        sums.wait_us += step.wait_us;
        sums.examples += step.examples;
    }
    return sums;
}

/// Bytes in a second between the last two readings; of the first reading, since the node began. Empty if they
/// are not known.
Cell rate_of(const NodeFigures& node, std::optional<std::uint64_t> SystemSample::*bytes) {
    if (!node.reading || !(node.reading.value().*bytes)) return {};
    const auto before = node.reading_before.value_or(SystemSample{});
    const auto elapsed = node.reading->time_s - before.time_s;
    const auto moved = static_cast<double>(*(node.reading.value().*bytes)) -
                       static_cast<double>((before.*bytes).value_or(0));
    return elapsed > 0.0 && moved >= 0.0 ? Cell(moved / elapsed) : Cell();
}

std::vector<Cell> row_of(std::int64_t rank, const NodeFigures& node, std::string waited_for) {
    std::vector<Cell> row{rank};
    if (node.progress) {
        row.emplace_back(node.progress->phase);
    } else {
        row.emplace_back();
    }
    const auto step = std::max(node.last_step, node.progress ? node.progress->step : 0);
    row.emplace_back(step);
    const auto recent = recent_of(node);
    const auto count = static_cast<double>(node.recent.size());
    row.push_back(recent.examples > 0 ? Cell(node.recent.back().loss) : Cell());
    row.push_back(recent.examples > 0 ? Cell(static_cast<double>(recent.examples) / (recent.step_us * 1e-6))
                                      : Cell());
    row.push_back(node.recent.empty() ? Cell() : Cell(recent.step_us / count));
    row.push_back(share_pct(recent.wait_us, recent.step_us));
    if (node.reading) {
        row.emplace_back(node.reading->cpu_user_pct);
        row.emplace_back(node.reading->cpu_system_pct);
        row.push_back(integer(node.reading->resident_bytes));
    } else {
        row.insert(row.end(), 3, Cell());
    }
    row.push_back(rate_of(node, &SystemSample::sent_bytes));
    row.push_back(rate_of(node, &SystemSample::received_bytes));
    row.push_back(waited_for.empty() ? Cell(Note{.text = "no node waits for this one"})
                                     : Cell(std::move(waited_for)));
    return row;
}

}  // namespace

Table live_table(const RunFigures& figures) {
    Table table{"top", "Nodes", {}, {}};
    table.columns = {count("node"),
                     detail(words("phase"), 3),
                     count("step"),
                     detail(score("loss"), 1),
                     rate("examples_per_second"),
                     detail(long_microseconds("step_time"), 4),
                     percent("waits"),
                     percent("cpu_user"),
                     detail(percent("cpu_system"), 4),
                     bytes("resident"),
                     detail(megabytes_per_second("sent"), 2),
                     detail(megabytes_per_second("received"), 2),
                     words("waited_for")};
    const auto awaited = hold_ups(figures);
    for (std::int64_t rank = 0; rank < figures.ranks; ++rank) {
        const auto found = figures.nodes.find(rank);
        const auto held = std::ranges::find(awaited, rank, &HoldUp::node);
        table.rows.push_back(row_of(rank, found == figures.nodes.end() ? NodeFigures{} : found->second,
                                    held == awaited.end() ? "" : held->reason));
    }
    return table;
}

}  // namespace convoy
