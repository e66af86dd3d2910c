#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cluster/launcher.hpp"
#include "monitor/metrics_export.hpp"
#include "monitor/node_logs.hpp"
#include "monitor/run_monitor.hpp"
#include "voice.hpp"

namespace convoy {

/// How others see a run while it is under way.
struct MonitoringPlaces {
    MetricsPlaces metrics = {};
    std::filesystem::path logs = {};  ///< the folder of logs; empty: none
    LogLevel log_level = LogLevel::info;
};

/// The options for it, for --help.
boost::program_options::options_description monitoring_options_described();

/// By these options. Throws UsageError, ClusterError if this machine has no such address, OutputError if the
/// folder of a file is missing.
MonitoringPlaces monitoring_places_given(const boost::program_options::variables_map& given);

/// The metrics of a run, from its begin to its end: it takes them from what the launcher is told.
class Monitoring {
  public:
    /// Says where it listens. journals: of the run, which may have records already. failures: rows of
    /// failures.csv, which outlive this object. Throws as MetricsExport and RunMonitor::begin.
    Monitoring(const MetricsPlaces& places, RunLabels labels, std::int64_t ranks,
               const JournalFolder& journals, const std::vector<NodeFailure>& failures);
    Monitoring(const Monitoring&) = delete;
    Monitoring& operator=(const Monitoring&) = delete;
    Monitoring(Monitoring&&) = delete;
    Monitoring& operator=(Monitoring&&) = delete;
    /// The run has failed, or was interrupted, unless end() was called.
    ~Monitoring();

    /// The figures, for those who tell them.
    [[nodiscard]] RunMonitor& monitor() { return monitor_; }
    /// Notes the failures anew.
    void note_failures() { monitor_.note_failures(failures_); }
    /// A signal came that ends the run.
    void note_interrupted() { interrupted_ = true; }
    /// The run has ended with this status.
    void end(RunStatus status, const Voice& voice);

  private:
    const std::vector<NodeFailure>& failures_;
    RunMonitor monitor_;
    bool ended_ = false, interrupted_ = false;
    MetricsExport export_;  ///< last: its thread uses the others
};

/// Hands all that it is told on to another observer, and adds it to the metrics of a run.
class MonitoringObserver final : public LaunchObserver {
  public:
    /// Both outlive this object. monitoring: null: there are no metrics.
    MonitoringObserver(LaunchObserver& next, Monitoring* monitoring) : next_(next), monitoring_(monitoring) {}

    void on_listening(const std::string& endpoint) override { next_.on_listening(endpoint); }
    void on_progress(const NodeProgress& progress) override;
    void on_node_lost(const LostNode& lost) override;
    void on_fault(const ComingFault& fault) override;
    void on_agreed() override { next_.on_agreed(); }
    void on_interrupted() override;
    void on_goes_on(const GoesOn& goes_on) override;
    void on_node_line(std::int64_t rank, const std::string& line) override { next_.on_node_line(rank, line); }
    void on_notice(const std::string& line) override { next_.on_notice(line); }
    void on_time_passed() override { next_.on_time_passed(); }
    void on_detail(const std::string& line) override { next_.on_detail(line); }

  private:
    LaunchObserver& next_;
    Monitoring* monitoring_;
};

}  // namespace convoy
