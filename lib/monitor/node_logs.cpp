#include "monitor/node_logs.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/printable.hpp"

namespace convoy {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 4> level_names{"error", "warning", "info", "debug"};

std::string line_of(LogLevel level, std::string_view text) {
    const auto now = std::chrono::system_clock::now();
    const auto milliseconds =
        std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z {} {}\n",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(now)), milliseconds,
                       level_name(level), printable(text));
}

}  // namespace

std::string_view level_name(LogLevel level) {
    return level_names.at(static_cast<std::size_t>(level));
}

std::optional<LogLevel> level_named(std::string_view name) {
    const auto* const found = std::ranges::find(level_names, name);
    if (found == level_names.end()) return std::nullopt;
    return static_cast<LogLevel>(found - level_names.begin());
}

NodeLogs::NodeLogs(fs::path folder, LogLevel least, std::size_t most_bytes)
    : folder_(std::move(folder)), least_(least), most_bytes_(most_bytes) {
    std::error_code problem;
    fs::create_directories(folder_, problem);
    if (problem) throw OutputError(fmt::format("{}: {}", folder_.string(), problem.message()));
    append(std::nullopt, "");
}

void NodeLogs::write(std::optional<std::int64_t> rank, LogLevel level, std::string_view text) {
    auto& written = written_[rank];
    if (level > least_ || written > most_bytes_) return;
    auto line = line_of(level, text);
    written += line.size();
    if (written > most_bytes_)
        line = line_of(
            LogLevel::warning,
            fmt::format("this log has {} bytes of this run; the rest is left out", written - line.size()));
    try {
        append(rank, line);
    } catch (const OutputError& error) {
        problem_ = error.what();
    }
}

void NodeLogs::append(std::optional<std::int64_t> rank, const std::string& line) {
    OutputFile file(folder_ / (rank ? fmt::format("node-{}.log", *rank) : "launcher.log"),
                    OutputFile::Open::append);
    file.write(line);
    file.flush();
}

}  // namespace convoy
