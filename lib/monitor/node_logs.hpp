#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace convoy {

/// How much a line of a log matters, from most to least.
enum class LogLevel : std::uint8_t { error, warning, info, debug };

/// The name of a level, as in lines and options.
std::string_view level_name(LogLevel level);
/// The level with this name; absent if there is none.
std::optional<LogLevel> level_named(std::string_view name);

/// So many bytes a log takes in one run.
inline constexpr std::size_t most_log_bytes = std::size_t{16} << 20U;

/// The logs of a run in one folder: launcher.log, and node-N.log for each node that has told something. A
/// line has the time in UTC, the level and the text: "2026-11-25T21:30:00.123Z info trains epoch 2". What is
/// there already stays, and lines go behind it. Files are written line by line, so a kill loses none.
class NodeLogs {
  public:
    /// Makes the folder. least: lines that matter less are left out. most_bytes: smaller in tests only.
    /// Throws OutputError if the folder or launcher.log cannot be made.
    NodeLogs(std::filesystem::path folder, LogLevel least, std::size_t most_bytes = most_log_bytes);

    /// Writes a line, with printable(text). rank: of the node; absent: of the launcher. A log that is full
    /// says so once, and takes no more. A line that cannot be written is left out.
    void write(std::optional<std::int64_t> rank, LogLevel level, std::string_view text);
    /// Why a line was left out the last time; absent if none was.
    [[nodiscard]] const std::optional<std::string>& problem() const { return problem_; }

  private:
    void append(std::optional<std::int64_t> rank, const std::string& line);

    std::filesystem::path folder_;
    LogLevel least_;
    std::size_t most_bytes_;
    std::map<std::optional<std::int64_t>, std::size_t> written_;  ///< bytes of this process
    std::optional<std::string> problem_;
};

}  // namespace convoy
