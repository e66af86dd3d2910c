#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "base/console.hpp"
#include "base/error.hpp"
#include "base/output_file.hpp"

namespace convoy {
namespace {

std::string duration(double seconds) {
    const auto whole = std::llround(seconds);
    if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
    return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

constexpr int bar_width = 24;
constexpr auto progress_file_interval = std::chrono::milliseconds(500);

}  // namespace

ProgressLine::ProgressLine(const Joining* joining, std::filesystem::path file)
    : joining_(joining), file_(std::move(file)), terminal_(::isatty(STDERR_FILENO) == 1) {}

void ProgressLine::on_listening(const std::string& endpoint) {
    if (joining_ == nullptr) return;
    say(joining_->line(endpoint));
}

void ProgressLine::on_progress(const NodeProgress& progress) {
    if (progress.rank != shown_node_) return;
    const bool has_trained = progress.phase == "train" || progress.phase == "evaluate";
    if (has_trained && progress.examples == 0) {  // this node computes no loss, a later node does
        ++shown_node_;
        return;
    }
    write_file(progress);
    if (terminal_) {
        draw_line(text(progress));
        drawn_ = true;
    } else if (progress.phase == "evaluate" && progress.epoch != told_epoch_) {
        told_epoch_ = progress.epoch;
        say_plainly(fmt::format("epoch {}/{}: node {} has loss {:.4f}, accuracy {:.4f}; {:.0f} examples/s",
                                progress.epoch, progress.epochs, progress.rank, progress.loss,
                                progress.accuracy, progress.examples_per_second));
    }
}

void ProgressLine::write_file(const NodeProgress& progress) {
    const auto now = Clock::now();
    if (file_.empty() || (progress.phase == written_phase_ && now - written_ < progress_file_interval))
        return;
    written_ = now;
    written_phase_ = progress.phase;
    const nlohmann::json figures{{"phase", progress.phase},
                                 {"epoch", progress.epoch},
                                 {"epochs", progress.epochs},
                                 {"step", progress.step},
                                 {"steps", progress.steps},
                                 {"node", progress.rank},
                                 {"loss", progress.loss},
                                 {"accuracy", progress.accuracy},
                                 {"examples_per_second", progress.examples_per_second}};
    const auto next = file_.string() + ".new";
    try {
        OutputFile out(next, OutputFile::Open::fresh);
        out.write(figures.dump() + "\n");
        out.flush();
        std::error_code ignored;
        std::filesystem::rename(next, file_, ignored);
    } catch (const OutputError&) {
        // The run does not need it, and there may be room the next time.
    }
}

std::string ProgressLine::text(const NodeProgress& progress) {
    if (progress.phase == phase::read) return "reading data";
    if (progress.phase == phase::connect) return "connecting the nodes";
    if (progress.phase == "prepare") return "waiting until all nodes are ready";
    if (first_step_ < 0) {
        first_step_ = progress.step;
        first_time_ = Clock::now();
    }
    // A node says the steps; whatever it says, the bar has its width.
    const auto share =
        static_cast<double>(progress.step) / static_cast<double>(std::max<std::int64_t>(progress.steps, 1));
    const auto filled = std::llround(std::clamp(share, 0.0, 1.0) * bar_width);
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

void ProgressLine::on_node_line(std::int64_t rank, const std::string& line) {
    clear();
    say_plainly(fmt::format("node {}: {}", rank, line));
}

void ProgressLine::on_notice(const std::string& line) {
    clear();
    say(line);
}

void ProgressLine::clear() {
    if (drawn_) draw_line("");
    drawn_ = false;
}

}  // namespace convoy
