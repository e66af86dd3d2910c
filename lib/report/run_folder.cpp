#include "report/run_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json_text.hpp"
#include "base/open_to_read.hpp"
#include "report/partial_folder.hpp"
#include "report/records_csv.hpp"
#include "report/results_builder.hpp"
#include "report/run_folder_format.hpp"
#include "report/summary.hpp"

namespace convoy {
namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_summary_bytes = std::size_t{64} << 20U;

[[noreturn]] void exists_already(const fs::path& folder) {
    throw UsageError(fmt::format(
        "{}: exists already; choose another --out, or continue it with --resume if it ended early",
        folder.string()));
}

/// The folder without a slash at its end, which would hide its name.
fs::path without_slash(const fs::path& folder) {
    return folder.has_filename() ? folder : folder.parent_path();
}

void make_folder(const fs::path& folder) {
    std::error_code problem;
    fs::create_directories(folder, problem);
    if (problem) cannot_write(folder, problem.message());
}

/// Adds the rows of a file to the results.
template <typename Record>
void read_file(const fs::path& file,
               void (*read)(std::istream&, const std::string&, const std::function<void(const Record&)>&),
               ResultsBuilder& builder) {
    read(*open_stream(file), file.string(), [&builder](const Record& row) { builder.add(row); });
}

/// Keeps what is portable in file names.
std::string file_name(const std::string& name) {
    auto safe = name;
    std::replace_if(
        safe.begin(), safe.end(),
        [](char letter) {
            const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                               (letter >= '0' && letter <= '9') || letter == '-' || letter == '_' ||
                               letter == '.';
            return !plain;
        },
        '-');
    if (safe.empty() || safe.front() == '.') safe.insert(0, "run");
    return safe.substr(0, 100);
}

}  // namespace

fs::path run_folder_name(const fs::path& results, const std::string& name, const std::string& run_id,
                         int number) {
    const auto first = results / fmt::format("{}-{}", file_name(name), run_id);
    return number == 1 ? first : fs::path(fmt::format("{}-{}", first.string(), number));
}

fs::path choose_run_folder(const fs::path& results, const std::string& name, const std::string& run_id) {
    const auto has_run = [](const fs::path& folder) {
        return is_taken(folder) || is_taken(partial_beside(folder));
    };
    int number = 1;
    while (has_run(run_folder_name(results, name, run_id, number))) ++number;
    return run_folder_name(results, name, run_id, number);
}

void require_new_folder(const fs::path& folder) {
    const auto target = without_slash(folder);
    if (is_taken(target)) exists_already(target);
    make_folder(folder_above(target));
}

RunResults read_run_folder(const fs::path& folder) {
    const auto summary = folder / summary_file;
    if (!is_file(summary)) {
        throw MissingFileError(
            fmt::format("{}: is no run folder, it has no {}; name one that `convoy run` wrote",
                        folder.string(), summary_file));
    }
    RunResults header;
    read_summary_json(parse_json(read_file_text(summary, max_summary_bytes), summary.string()),
                      summary.string(), header);
    const auto summaries = std::exchange(header.summaries, {});
    ResultsBuilder builder(std::move(header));
    read_file(folder / operators_file, read_operators_csv, builder);
    read_file(folder / steps_file, read_steps_csv, builder);
    read_file(folder / epochs_file, read_epochs_csv, builder);
    read_file(folder / system_file, read_system_csv, builder);
    if (is_file(folder / updates_file)) read_file(folder / updates_file, read_updates_csv, builder);
    for (const auto& node : summaries) builder.add(node);
    return builder.finish();
}

}  // namespace convoy
