#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <iostream>

namespace convoy {
namespace {

std::string duration(double seconds) {
    const auto whole = std::llround(seconds);
    if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
    return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

constexpr std::int64_t bar_width = 24;

}  // namespace

ProgressLine::ProgressLine(const Joining* joining)
    : joining_(joining), terminal_(::isatty(STDERR_FILENO) == 1) {}

void ProgressLine::on_listening(const std::string& endpoint) {
    if (joining_ == nullptr) return;
    const auto line = joining_->line(endpoint);
    if (!line.empty()) std::cerr << fmt::format("convoy: {}\n", line);
}

void ProgressLine::on_progress(const NodeProgress& progress) {
    if (progress.rank != shown_node_) return;
    const bool has_trained = progress.phase == "train" || progress.phase == "evaluate";
    if (has_trained && progress.examples == 0) {  // this node computes no loss, a later node does
        ++shown_node_;
        return;
    }
    if (terminal_) {
        std::cerr << "\r\033[K" << text(progress) << std::flush;
        drawn_ = true;
    } else if (progress.phase == "evaluate" && progress.epoch != told_epoch_) {
        told_epoch_ = progress.epoch;
        std::cerr << fmt::format("epoch {}/{}: node {} has loss {:.4f}, accuracy {:.4f}; {:.0f} examples/s\n",
                                 progress.epoch, progress.epochs, progress.rank, progress.loss,
                                 progress.accuracy, progress.examples_per_second);
    }
}

std::string ProgressLine::text(const NodeProgress& progress) {
    if (progress.phase == "read") return "reading data";
    if (progress.phase == "prepare") return "waiting until all nodes are ready";
    if (first_step_ < 0) {
        first_step_ = progress.step;
        first_time_ = Clock::now();
    }
    const auto filled = progress.step * bar_width / progress.steps;
    std::string bar(static_cast<std::size_t>(filled), '#');
    bar.resize(bar_width, '.');
    std::string left = "-:--";
    if (progress.step > first_step_) {
        const auto elapsed = Seconds(Clock::now() - first_time_).count();
        const auto steps_left = static_cast<double>(progress.steps - progress.step);
        left = duration(elapsed / static_cast<double>(progress.step - first_step_) * steps_left);
    }
    return fmt::format(
        "[{}] {} epoch {}/{} step {}/{}  node {}: loss {:.4f}, accuracy {:.4f}  {:.0f} examples/s  {} left",
        bar, progress.phase, progress.epoch, progress.epochs, progress.step, progress.steps, progress.rank,
        progress.loss, progress.accuracy, progress.examples_per_second, left);
}

void ProgressLine::on_notice(const std::string& line) {
    clear();
    std::cerr << "convoy: " << line << '\n';
}

void ProgressLine::clear() {
    if (drawn_) std::cerr << "\r\033[K" << std::flush;
    drawn_ = false;
}

}  // namespace convoy
