#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <vector>

#include "base/error.hpp"
#include "report/partial_run.hpp"
#include "report/results_builder.hpp"
#include "report/run_folder.hpp"

namespace convoy {

/// A run with all that its nodes sent, in any order.
struct WholeRun : RunRecord {
    NodeRecords records = {};
    std::vector<std::byte> weights = {};
};

/// The records of each node, in order.
inline std::map<std::int64_t, NodeRecords> by_node(const NodeRecords& records) {
    std::map<std::int64_t, NodeRecords> nodes;
    for (const auto& row : records.operators) nodes[row.node].operators.push_back(row);
    for (const auto& row : records.steps) nodes[row.node].steps.push_back(row);
    for (const auto& row : records.epochs) nodes[row.node].epochs.push_back(row);
    for (const auto& row : records.system) nodes[row.node].system.push_back(row);
    for (const auto& row : records.trace) nodes[row.node].trace.push_back(row);
    for (const auto& row : records.summaries) nodes[row.node].summaries.push_back(row);
    for (const auto& row : records.updates) nodes[row.node].updates.push_back(row);
    return nodes;
}

/// The results of a run.
inline RunResults results_of(const WholeRun& run) {
    ResultsBuilder builder(header_of(run));
    for (const auto& [node, records] : by_node(run.records)) builder.add(records);
    return builder.finish();
}

/// Gives a run's records and weights to a sink, as a launcher does.
inline void tell(RecordSink& sink, const WholeRun& run) {
    for (auto& [node, records] : by_node(run.records)) sink.take(node, records);
    if (!run.weights.empty()) sink.take_weights(run.weights);
}

/// Writes the run folder of a run.
inline void write_run_folder(const std::filesystem::path& folder, const WholeRun& run) {
    require_new_folder(folder);
    PartialRun partial(folder, run, run.nodes, run.weights.size(), PartialRun::Open::fresh);
    tell(partial, run);
    partial.finish(run);
    if (!partial.publish(folder)) throw UsageError(folder.string());
}

}  // namespace convoy
