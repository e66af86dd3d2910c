#include "monitor/run_monitor.hpp"

#include <utility>

namespace convoy {

RunMonitor::RunMonitor(RunLabels labels, std::int64_t ranks) : labels_(std::move(labels)) {
    figures_.ranks = ranks;
}

void RunMonitor::begin(const JournalFolder& journals) {
    RunFigures figures;
    {
        const std::scoped_lock lock(mutex_);
        figures.ranks = figures_.ranks;
        figures.failures = figures_.failures;
    }
    journals.each(table_kinds, [&figures](const NodeRecords& part) { figures.add(part); });
    const std::scoped_lock lock(mutex_);
    figures_ = std::move(figures);
}

void RunMonitor::add(const NodeRecords& part) {
    const std::scoped_lock lock(mutex_);
    figures_.add(part);
}

void RunMonitor::note(const NodeProgress& progress) {
    const std::scoped_lock lock(mutex_);
    figures_.note(progress);
}

void RunMonitor::note_failures(std::span<const NodeFailure> failures) {
    std::map<std::string, std::int64_t> counts;
    for (const auto& failure : failures) ++counts[failure.fault];
    const std::scoped_lock lock(mutex_);
    figures_.failures = std::move(counts);
}

void RunMonitor::set_ranks(std::int64_t count) {
    const std::scoped_lock lock(mutex_);
    figures_.set_ranks(count);
}

void RunMonitor::set_stage(RunStage stage) {
    const std::scoped_lock lock(mutex_);
    stage_ = stage;
}

std::string RunMonitor::text() const {
    std::unique_lock lock(mutex_);
    const auto figures = figures_;  // so that the launcher does not wait for the text
    const auto stage = stage_;
    lock.unlock();
    return run_metrics_text(figures, labels_, stage);
}

}  // namespace convoy
