#pragma once

#include <string>

#include "cluster/launcher.hpp"
#include "monitor/node_logs.hpp"

namespace convoy {

/// Hands all that it is told on to another observer, and writes it into the logs of the launcher and of the
/// nodes. What a node writes on its standard error has the level `warning`: a node in order writes nothing
/// there.
class LoggingObserver final : public LaunchObserver {
  public:
    /// Both outlive this object. logs: null: there are no logs.
    LoggingObserver(LaunchObserver& next, NodeLogs* logs) : next_(next), logs_(logs) {}

    void on_listening(const std::string& endpoint) override;
    void on_progress(const NodeProgress& progress) override;
    void on_node_lost(const LostNode& lost) override;
    void on_fault(const ComingFault& fault) override;
    void on_agreed() override;
    void on_interrupted() override;
    void on_goes_on(const GoesOn& goes_on) override;
    void on_node_line(std::int64_t rank, const std::string& line) override;
    void on_notice(const std::string& line) override;
    void on_time_passed() override { next_.on_time_passed(); }
    void on_detail(const std::string& line) override;

  private:
    void write(std::optional<std::int64_t> rank, LogLevel level, const std::string& text);

    LaunchObserver& next_;
    NodeLogs* logs_;
    std::map<std::int64_t, std::string> told_phases_;  ///< by rank
};

}  // namespace convoy
