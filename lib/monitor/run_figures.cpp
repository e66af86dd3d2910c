#include "monitor/run_figures.hpp"

#include <algorithm>
#include <utility>

namespace convoy {

namespace {

void add_to(NodeFigures& node, const StepRecord& step) {
    ++node.steps;
    node.last_step = std::max(node.last_step, step.step);
    node.examples += step.examples;
    node.correct += step.correct;
    node.step_us += step.step_us;
    node.compute_us += step.compute_us;
    node.wait_us += step.wait_us;
    node.recent.push_back(step);
    if (node.recent.size() > recent_steps) node.recent.pop_front();
}

void add_to(NodeFigures& node, const OperatorRecord& row) {
    if (row.folded_into) return;  // it has no time of its own
    node.operators_us[{row.phase, row.operator_name}] += row.total_us;
    if (!row.communication || row.phase != RunPhase::train) return;
    if (!node.exchanges) node.exchanges.emplace();
    *node.exchanges += *row.communication;
}

void add_to(NodeFigures& node, const SystemSample& reading) {
    node.reading_before = std::exchange(node.reading, reading);
    node.peak_resident_bytes = std::max(node.peak_resident_bytes, reading.resident_bytes);
    node.sent_bytes = reading.sent_bytes;
    node.received_bytes = reading.received_bytes;
}

void add_to(NodeFigures& node, const NodeSummary& summary) {
    node.summary = summary;
    node.summary->label_counts.clear();
    node.summary->parts.clear();
    node.peak_resident_bytes = summary.peak_resident_bytes;
    node.sent_bytes = summary.sent_bytes;
    node.received_bytes = summary.received_bytes;
}

bool trains(const NodeProgress& progress) {
    return progress.phase == phase::train || progress.phase == phase::evaluate;
}

}  // namespace

void RunFigures::add(const NodeRecords& part) {
    for (const auto& row : part.steps) add_to(nodes[row.node], row);
    for (const auto& row : part.operators) add_to(nodes[row.node], row);
    for (const auto& row : part.system) add_to(nodes[row.node], row);
    for (const auto& row : part.summaries) add_to(nodes[row.node], row);
    for (const auto& row : part.epochs) add_epoch(row);
    for (const auto& row : part.updates) {
        auto& worker = nodes[row.worker];
        ++worker.updates;
        worker.staleness += row.staleness;
    }
}

void RunFigures::note(const NodeProgress& progress) {
    nodes[progress.rank].progress = progress;
}

void RunFigures::set_ranks(std::int64_t count) {
    if (count == ranks) return;
    ranks = count;
    for (auto& [rank, node] : nodes)
        if (rank >= count) node.progress.reset();
    // A node that was lost tells its epoch no more.
    for (auto& [number, epoch] : epochs) epoch.nodes = std::max(epoch.nodes, ranks);
    complete_epochs();
}

void RunFigures::add_epoch(const NodeEpochRecord& row) {
    if (row.epoch < last_epoch) return;
    auto& epoch = epochs[row.epoch];
    add_to(epoch.sums, row);
    if (row.node < ranks) ++epoch.nodes;
    complete_epochs();
}

void RunFigures::complete_epochs() {
    for (const auto& [number, epoch] : epochs)
        if (epoch.nodes >= ranks) last_epoch = std::max(last_epoch, number);
    epochs.erase(epochs.begin(), epochs.lower_bound(last_epoch));
}

std::optional<EpochRecord> RunFigures::epoch() const {
    const auto found = epochs.find(last_epoch);
    return found == epochs.end() ? std::nullopt : std::optional(epoch_record(found->second.sums));
}

const NodeProgress* RunFigures::shown() const {
    const NodeProgress* first = nullptr;
    for (const auto& [rank, node] : nodes) {
        if (!node.progress) continue;
        if (first == nullptr) first = &*node.progress;
        if (!trains(*node.progress) || node.progress->examples > 0) return &*node.progress;
    }
    return first;
}

}  // namespace convoy
