#include "report/run_record.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/count_text.hpp"

namespace convoy {

namespace {

void add_scores(ScoreSums& sums, const ScoreSums& more) {
    sums.loss_sum += more.loss_sum;
    sums.correct += more.correct;
    sums.examples += more.examples;
}

bool has_examples(const NodeEpochRecord& row) {
    return row.train.examples + row.validation.examples + row.test.examples > 0;
}

void set_scores(const ScoreSums& sums, std::optional<double>& loss, std::optional<double>& accuracy) {
    if (sums.examples == 0) return;
    loss = sums.loss_sum / static_cast<double>(sums.examples);
    accuracy = static_cast<double>(sums.correct) / static_cast<double>(sums.examples);
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
    return fmt::format("{} ({})", count_text(hosts, "emulated host"), each);
}

EpochRecord epoch_record(const NodeEpochRecord& sums) {
    EpochRecord record;
    record.epoch = sums.epoch;
    record.train_s = sums.train_s;
    record.evaluate_s = sums.evaluate_s;
    set_scores(sums.train, record.train_loss, record.train_accuracy);
    set_scores(sums.validation, record.validation_loss, record.validation_accuracy);
    set_scores(sums.test, record.test_loss, record.test_accuracy);
    return record;
}

void add_to(NodeEpochRecord& sums, const NodeEpochRecord& row) {
    const bool had_examples = has_examples(sums);
    sums.epoch = row.epoch;
    add_scores(sums.train, row.train);
    add_scores(sums.validation, row.validation);
    add_scores(sums.test, row.test);
    if (had_examples && !has_examples(row)) return;
    if (!had_examples && has_examples(row)) sums.train_s = sums.evaluate_s = 0.0;
    sums.train_s = std::max(sums.train_s, row.train_s);
    sums.evaluate_s = std::max(sums.evaluate_s, row.evaluate_s);
}

RunResults header_of(const RunHeader& run) {
    RunResults results;
    static_cast<RunHeader&>(results) = run;
    return results;
}

}  // namespace convoy
