#include "report/gnuplot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/run_program.hpp"

namespace convoy {

namespace {

constexpr std::chrono::seconds deadline{60};
constexpr std::size_t most_reason_bytes = 300;

/// A program's complaint, on one line.
std::string on_one_line(std::string text) {
    std::ranges::replace_if(
        text, [](char letter) { return static_cast<unsigned char>(letter) < 0x20U; }, ' ');
    text.erase(std::unique(text.begin(), text.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
               text.end());
    return text.substr(0, most_reason_bytes);
}

}  // namespace

std::string Gnuplot::draw(const std::string& script) const {
    ProgramOutcome outcome;
    try {
        // -d: whatever the user's own start-up files ask for, reports look alike.
        outcome = run_program({program_, "-d"}, script, deadline);
    } catch (const MissingFileError&) {
        throw MissingFileError(
            fmt::format("{}: is not installed, and draws the plots; install gnuplot-nox", program_));
    }
    if (!outcome.in_time)
        throw OutputError(fmt::format("{}: took longer than {} s", program_, deadline.count()));
    if (outcome.code != 0 || outcome.out.empty())
        throw OutputError(fmt::format("{}: could not draw: {}", program_, on_one_line(outcome.err)));
    return std::move(outcome.out);
}

}  // namespace convoy
