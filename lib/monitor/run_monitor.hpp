#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>

#include "measure/record_sink.hpp"
#include "monitor/run_figures.hpp"
#include "monitor/run_metrics.hpp"
#include "report/journal_folder.hpp"

namespace convoy {

/// The figures of a run that is under way, for other threads. Any thread may call it.
class RunMonitor {
  public:
    RunMonitor(RunLabels labels, std::int64_t ranks);

    /// Forgets all records and progress, and takes the records of journals: the run begins, perhaps with the
    /// records of a checkpoint, or it goes back to an earlier step. Throws as JournalFolder::each.
    void begin(const JournalFolder& journals);
    void add(const NodeRecords& part);
    void note(const NodeProgress& progress);
    /// failures: all rows of failures.csv so far.
    void note_failures(std::span<const NodeFailure> failures);
    void set_ranks(std::int64_t count);
    void set_stage(RunStage stage);

    /// The metrics as text for Prometheus.
    [[nodiscard]] std::string text() const;

  private:
    RunLabels labels_;
    mutable std::mutex mutex_;  // guards all below
    RunFigures figures_;
    RunStage stage_ = RunStage::begun;
};

/// Hands records on, and adds them to the figures of a monitor.
class MonitoredSink final : public RecordSink {
  public:
    /// Both outlive this object.
    MonitoredSink(RecordSink& next, RunMonitor& monitor) : next_(next), monitor_(monitor) {}

    void take(std::int64_t rank, NodeRecords records) override {
        monitor_.add(records);
        next_.take(rank, std::move(records));
    }
    [[nodiscard]] std::uint64_t mark(std::int64_t rank) override { return next_.mark(rank); }
    void take_weights(std::span<const std::byte> safetensors) override { next_.take_weights(safetensors); }
    void note_interrupted() override { next_.note_interrupted(); }

  private:
    RecordSink& next_;
    RunMonitor& monitor_;
};

}  // namespace convoy
