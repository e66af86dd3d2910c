#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "cluster/launcher.hpp"
#include "joining.hpp"
#include "voice.hpp"

namespace convoy {

/// Shows progress on stderr: one line that is rewritten on a terminal, and fits it; elsewhere a line for each
/// epoch, and at least every minute.
/// Loss and accuracy are those of the first node that computes a loss.
class ProgressLine final : public LaunchObserver {
  public:
    /// voice: if it is quiet, only what nodes write, and how they join, is shown; if it is verbose, each
    /// phase of each node too. joining: has the line that says how nodes join; null: no such line. file: has
    /// the progress for other processes, at most a second old; empty: no such file.
    explicit ProgressLine(const Voice& voice, const Joining* joining = nullptr,
                          std::filesystem::path file = {});
    void on_listening(const std::string& endpoint) override;
    void on_progress(const NodeProgress& progress) override;
    void on_goes_on(const GoesOn& goes_on) override;
    void on_node_line(std::int64_t rank, const std::string& line) override;
    void on_notice(const std::string& line) override;
    void on_time_passed() override;
    void on_detail(const std::string& line) override;
    /// The run goes on from an earlier step: the time left is measured anew, and epochs are told again.
    void begin_again();
    /// Clears the line, so the next text begins at its start.
    void clear();

  private:
    /// For a verbose voice: says when a node begins a phase.
    void tell_phase(const NodeProgress& progress);
    /// Rewrites the line of a terminal, at most ten times a second.
    void draw(const NodeProgress& progress);
    /// Says a line after each epoch, and at least every minute.
    void log(const NodeProgress& progress);
    /// Says a line if none was said for a minute. left: the time that is left, as text.
    void log_after_silence(const NodeProgress& progress, const std::string& left);
    /// As text; empty if nothing is known yet.
    [[nodiscard]] std::string time_left(const NodeProgress& progress);
    /// Writes the file, unless it is new enough.
    void write_file(const NodeProgress& shown);

    Voice voice_;
    const Joining* joining_;
    std::map<std::int64_t, std::string> told_phases_;  ///< by rank
    std::filesystem::path file_;
    std::map<std::int64_t, NodeProgress> nodes_;  ///< the last progress of each rank
    std::optional<NodeProgress> shown_;           ///< of the node whose loss is shown
    TimePoint written_{};
    bool phase_changed_ = false;  ///< since then, of any node
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

/// Tells only the launcher's own work, by a verbose voice.
class LaunchDetails final : public LaunchObserver {
  public:
    explicit LaunchDetails(const Voice& voice) : voice_(voice) {}
    void on_detail(const std::string& line) override { voice_.detail(line); }

  private:
    Voice voice_;
};

}  // namespace convoy
