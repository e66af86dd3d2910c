#include "report/run_record.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace convoy {

namespace {

void add_sums(ScoreSums& sums, const ScoreSums& other) {
    sums.loss_sum += other.loss_sum;
    sums.correct += other.correct;
    sums.examples += other.examples;
}

void set_scores(const ScoreSums& sums, std::optional<double>& loss, std::optional<double>& accuracy) {
    if (sums.examples == 0) return;
    loss = sums.loss_sum / static_cast<double>(sums.examples);
    accuracy = static_cast<double>(sums.correct) / static_cast<double>(sums.examples);
}

/// Keeps the order of what a node sent where the keys are equal.
template <typename Record, typename Key>
std::vector<Record> sorted(std::vector<Record> records, Key key) {
    std::stable_sort(records.begin(), records.end(),
                     [&key](const Record& a, const Record& b) { return key(a) < key(b); });
    return records;
}

}  // namespace

std::string EmulatedCluster::text() const {
    std::vector<std::string> limits;
    if (link_mbit) limits.push_back(fmt::format("{} Mbit/s", *link_mbit));
    if (cpu) limits.push_back(fmt::format("{} cores", *cpu));
    if (memory_mb) limits.push_back(fmt::format("{} MB", *memory_mb));
    if (!unlike.empty()) {
        const auto common = limits.empty() ? "" : fmt::format(" ({})", fmt::join(limits, ", "));
        return fmt::format("{} unlike emulated hosts{}", hosts, common);
    }
    const auto each =
        limits.empty() ? std::string("without limits") : fmt::format("{}", fmt::join(limits, ", "));
    return fmt::format("{} emulated host{} ({})", hosts, hosts == 1 ? "" : "s", each);
}

std::vector<EpochRecord> epoch_records(const std::vector<NodeEpochRecord>& epochs) {
    std::map<std::int64_t, NodeEpochRecord> sums;
    for (const auto& node : epochs) {
        auto& sum = sums[node.epoch];
        add_sums(sum.train, node.train);
        add_sums(sum.validation, node.validation);
        add_sums(sum.test, node.test);
        sum.train_s = std::max(sum.train_s, node.train_s);
        sum.evaluate_s = std::max(sum.evaluate_s, node.evaluate_s);
    }
    std::vector<EpochRecord> records;
    for (const auto& [epoch, sum] : sums) {
        EpochRecord record;
        record.epoch = epoch;
        record.train_s = sum.train_s;
        record.evaluate_s = sum.evaluate_s;
        set_scores(sum.train, record.train_loss, record.train_accuracy);
        set_scores(sum.validation, record.validation_loss, record.validation_accuracy);
        set_scores(sum.test, record.test_loss, record.test_accuracy);
        records.push_back(record);
    }
    return records;
}

RunResults results_of(const RunRecord& run) {
    const auto& records = run.records;
    return {
        .name = run.name,
        .run_id = run.run_id,
        .status = run.status,
        .nodes = run.nodes,
        .batch_size = run.batch_size,
        .cluster = run.cluster,
        .target = run.target,
        .operators = sorted(records.operators,
                            [](const auto& row) { return std::tuple(row.node, row.epoch, row.phase); }),
        .steps =
            sorted(records.steps, [](const auto& row) { return std::tuple(row.node, row.epoch, row.step); }),
        .epochs = epoch_records(records.epochs),
        .system = sorted(records.system, [](const auto& row) { return std::tuple(row.node, row.time_s); }),
        .summaries = sorted(records.summaries, [](const auto& row) { return row.node; }),
        .resumed_from_steps = run.resumed_from_steps};
}

}  // namespace convoy
