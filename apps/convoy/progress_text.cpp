#include "progress_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace convoy {
namespace {

constexpr int bar_width = 24;

struct Part {
    std::string text;
    int keep;  ///< parts with smaller numbers are left out first
};

/// A loss that grows without bound keeps its width.
std::string score(double value) {
    constexpr double longest = 1e6;
    return std::abs(value) < longest ? fmt::format("{:.4f}", value) : fmt::format("{:.4g}", value);
}

/// A node says the steps; whatever it says, the bar has its width.
std::string bar(const NodeProgress& progress) {
    const auto share =
        static_cast<double>(progress.step) / static_cast<double>(std::max<std::int64_t>(progress.steps, 1));
    const auto filled = std::llround(std::clamp(share, 0.0, 1.0) * bar_width);
    std::string text(static_cast<std::size_t>(filled), '#');
    text.resize(bar_width, '.');
    return "[" + text + "] ";
}

std::string joined(const std::vector<Part>& parts) {
    std::string line;
    for (const auto& part : parts) line += (line.empty() || line.ends_with(' ') ? "" : ", ") + part.text;
    return line;
}

/// All parts behind the bar.
std::vector<Part> parts_of(const NodeProgress& progress, const std::string& left) {
    std::vector<Part> parts{
        {progress.phase == phase::evaluate ? "evaluate" : "train", 4},
        {fmt::format("epoch {}/{}", progress.epoch, progress.epochs), 8},
        {fmt::format("step {}/{}", progress.step, progress.steps), 9},
        {fmt::format("node {}", progress.rank), 1},
        {"loss " + score(progress.loss), 6},
        {"accuracy " + score(progress.accuracy), 3},
        {fmt::format("{:.0f} examples/s", progress.examples_per_second), 7},
    };
    if (!left.empty()) parts.push_back({left + " left", 5});
    return parts;
}

}  // namespace

std::string phase_text(const NodeProgress& progress) {
    if (progress.phase == phase::read) return "reads " + progress.file;
    if (progress.phase == phase::fetch) return "fetches its data " + progress.file;
    if (progress.phase == phase::connect) return "connects to its peers";
    if (progress.phase == phase::prepare) return "prepares";
    if (progress.phase == phase::train) return fmt::format("trains epoch {}", progress.epoch);
    if (progress.phase == phase::evaluate) return fmt::format("evaluates after epoch {}", progress.epoch);
    return progress.phase;
}

std::string progress_text(const NodeProgress& progress, const std::string& left,
                          std::optional<std::size_t> width) {
    if (progress.phase == phase::fetch) return "fetching data " + progress.file;
    if (progress.phase == phase::read) return "reading data";
    if (progress.phase == phase::connect) return "connecting the nodes";
    if (progress.phase == phase::prepare) return "waiting until all nodes are ready";
    auto parts = parts_of(progress, left);
    if (width) parts.insert(parts.begin(), {bar(progress), 2});
    // A terminal breaks a line whose last column is written.
    while (width && parts.size() > 1 && joined(parts).size() >= *width)
        parts.erase(std::ranges::min_element(parts, {}, &Part::keep));
    auto line = joined(parts);
    if (width && line.size() >= *width) line.resize(*width > 0 ? *width - 1 : 0);
    return line;
}

}  // namespace convoy
