#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/clock.hpp"
#include "cluster/launcher.hpp"
#include "joining.hpp"

namespace convoy {

/// Shows progress on stderr: one line that is rewritten on a terminal, and fits it; elsewhere a line for each
/// epoch, and at least every minute.
/// Loss and accuracy are those of the first node that computes a loss.
class ProgressLine final : public LaunchObserver {
  public:
    /// joining: has the line that says how nodes join; null: no such line. file: has the progress for other
    /// processes, at most a second old; empty: no such file.
    explicit ProgressLine(const Joining* joining = nullptr, std::filesystem::path file = {});
    void on_listening(const std::string& endpoint) override;
    void on_progress(const NodeProgress& progress) override;
    void on_node_line(std::int64_t rank, const std::string& line) override;
    void on_notice(const std::string& line) override;
    /// Clears the line, so the next text begins at its start.
    void clear();

  private:
    const Joining* joining_;
    /// Rewrites the line of a terminal, at most ten times a second.
    void draw(const NodeProgress& progress);
    /// Says a line after each epoch, and at least every minute.
    void log(const NodeProgress& progress);
    /// As text; empty if nothing is known yet.
    [[nodiscard]] std::string time_left(const NodeProgress& progress);
    void write_file(const NodeProgress& progress);

    std::filesystem::path file_;
    TimePoint written_{};
    std::string written_phase_;
    bool terminal_;
    bool drawn_ = false;
    TimePoint drawn_at_{};
    std::string drawn_phase_;
    TimePoint logged_at_ = Clock::now();
    std::int64_t shown_node_ = 0;
    std::int64_t told_epoch_ = 0;
    std::int64_t first_step_ = -1;  ///< the step at which the measurement of the time left began
    TimePoint first_time_{};
};

}  // namespace convoy
