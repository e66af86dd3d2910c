#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <system_error>
#include <utility>

#include "base/console.hpp"
#include "base/error.hpp"
#include "base/output_file.hpp"
#include "command_line.hpp"
#include "monitor/progress_file.hpp"
#include "progress_text.hpp"

namespace convoy {
namespace {

std::string duration(double seconds) {
    const auto whole = std::llround(seconds);
    if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
    return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

constexpr auto progress_file_interval = std::chrono::milliseconds(500);
/// When a node has begun a phase: it may tell nothing more for a while.
constexpr auto phase_interval = std::chrono::milliseconds(20);
constexpr auto draw_interval = std::chrono::milliseconds(100);
/// The longest time without a line in a log.
constexpr auto log_interval = std::chrono::seconds(60);

}  // namespace

ProgressLine::ProgressLine(const Voice& voice, const Joining* joining, std::filesystem::path file)
    : voice_(voice), joining_(joining), file_(std::move(file)), terminal_(::isatty(STDERR_FILENO) == 1) {}

void ProgressLine::on_listening(const std::string& endpoint) {
    if (joining_ == nullptr) return;
    joining_->announce(endpoint);
}

void ProgressLine::on_progress(const NodeProgress& progress) {
    tell_phase(progress);
    const auto before = std::exchange(nodes_[progress.rank], progress);
    phase_changed_ = phase_changed_ || before.phase != progress.phase;
    if (progress.rank != shown_node_) {
        if (shown_) write_file(*shown_);
        return;
    }
    const bool has_trained = progress.phase == phase::train || progress.phase == phase::evaluate;
    if (has_trained && progress.examples == 0) {  // this node computes no loss, a later node does
        ++shown_node_;
        return;
    }
    if (shown_ && shown_->phase != progress.phase) written_ = {};  // at once
    shown_ = progress;
    write_file(progress);
    if (voice_.is_quiet()) return;
    if (terminal_) {
        draw(progress);
    } else {
        log(progress);
    }
}

void ProgressLine::on_time_passed() {
    if (shown_ && !terminal_ && !voice_.is_quiet()) log_after_silence(*shown_, time_left(*shown_));
}

void ProgressLine::tell_phase(const NodeProgress& progress) {
    if (!voice_.is_verbose()) return;
    const auto doing = phase_text(progress);
    auto& told = told_phases_[progress.rank];
    if (told == doing) return;
    told = doing;
    on_detail(fmt::format("node {} {}", progress.rank, doing));
}

void ProgressLine::draw(const NodeProgress& progress) {
    const auto now = Clock::now();
    const auto left = time_left(progress);
    if (drawn_ && progress.phase == drawn_phase_ && now - drawn_at_ < draw_interval) return;
    drawn_at_ = now;
    drawn_phase_ = progress.phase;
    draw_line(progress_text(progress, left, terminal_width(STDERR_FILENO)));
    drawn_ = true;
}

void ProgressLine::log(const NodeProgress& progress) {
    const auto now = Clock::now();
    const auto left = time_left(progress);
    if (progress.phase == phase::evaluate && progress.epoch != told_epoch_) {
        told_epoch_ = progress.epoch;
        logged_at_ = now;
        say_plainly(fmt::format("epoch {}/{}: node {} has loss {:.4f}, accuracy {:.4f}; {:.0f} examples/s",
                                progress.epoch, progress.epochs, progress.rank, progress.loss,
                                progress.accuracy, progress.examples_per_second));
    } else {
        log_after_silence(progress, left);
    }
}

void ProgressLine::log_after_silence(const NodeProgress& progress, const std::string& left) {
    const auto now = Clock::now();
    if (now - logged_at_ < log_interval) return;
    logged_at_ = now;
    say_plainly(progress_text(progress, left));
}

void ProgressLine::write_file(const NodeProgress& shown) {
    const auto now = Clock::now();
    const auto interval = phase_changed_ ? phase_interval : progress_file_interval;
    if (file_.empty() || now - written_ < interval) return;
    written_ = now;
    phase_changed_ = false;
    const auto next = file_.string() + ".new";
    try {
        OutputFile out(next, OutputFile::Open::fresh);
        out.write(progress_file_text(shown, nodes_));
        out.flush();
        std::error_code ignored;
        std::filesystem::rename(next, file_, ignored);
    } catch (const OutputError&) {
        // The run does not need it, and there may be room the next time.
    }
}

std::string ProgressLine::time_left(const NodeProgress& progress) {
    if (progress.phase != phase::train && progress.phase != phase::evaluate) return "";
    if (first_step_ < 0) {
        first_step_ = progress.step;
        first_time_ = Clock::now();
    }
    if (progress.step <= first_step_) return "";
    const auto elapsed = Seconds(Clock::now() - first_time_).count();
    const auto steps_left = static_cast<double>(progress.steps - progress.step);
    return duration(elapsed / static_cast<double>(progress.step - first_step_) * steps_left);
}

void ProgressLine::on_goes_on(const GoesOn& goes_on) {
    nodes_.erase(nodes_.lower_bound(goes_on.nodes), nodes_.end());
}

void ProgressLine::on_node_line(std::int64_t rank, const std::string& line) {
    clear();
    say_plainly(fmt::format("node {}: {}", rank, line));
}

void ProgressLine::on_notice(const std::string& line) {
    clear();
    voice_.tell(line);
}

void ProgressLine::on_detail(const std::string& line) {
    if (!voice_.is_verbose()) return;
    clear();
    voice_.detail(line);
}

void ProgressLine::begin_again() {
    clear();
    told_phases_.clear();
    nodes_.clear();
    shown_.reset();
    shown_node_ = 0;
    told_epoch_ = 0;
    first_step_ = -1;
}

void ProgressLine::clear() {
    if (drawn_) draw_line("");
    drawn_ = false;
}

}  // namespace convoy
