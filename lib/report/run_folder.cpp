#include "report/run_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json_text.hpp"
#include "report/overview.hpp"
#include "report/records_csv.hpp"
#include "report/run_folder_format.hpp"
#include "report/run_page.hpp"
#include "report/staged_folder.hpp"
#include "report/summary.hpp"
#include "report/trace.hpp"

namespace convoy {
namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_summary_bytes = std::size_t{64} << 20U;
constexpr std::size_t max_csv_bytes = std::size_t{1} << 30U;

[[noreturn]] void exists_already(const fs::path& folder) {
    throw UsageError(fmt::format("{}: exists already; choose another --out, or remove it", folder.string()));
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

/// Text files end in a line feed.
std::string with_line_feed(const std::string& text) {
    return text.ends_with('\n') ? text : text + "\n";
}

void write_files(const fs::path& folder, const RunRecord& run) {
    const auto results = results_of(run);
    write_whole(folder / spec_file, with_line_feed(run.spec));
    write_whole(folder / environment_file, with_line_feed(run.environment));
    write_whole(folder / operators_file, operators_csv(results.operators));
    write_whole(folder / steps_file, steps_csv(results.steps));
    write_whole(folder / epochs_file, epochs_csv(results.epochs));
    write_whole(folder / system_file, system_csv(results.system));
    write_whole(folder / trace_file, trace_json(run.records.trace, results.summaries));
    write_whole(folder / report_file, overview_markdown(results));
    write_whole(folder / page_file, run_page(results, run.spec, run.environment, Gnuplot()));
    if (!run.weights.empty()) write_whole(folder / weights_file, run.weights);
    write_whole(folder / summary_file, json_text(summary_json(results), 2) + "\n");
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
    int number = 1;
    while (fs::exists(fs::symlink_status(run_folder_name(results, name, run_id, number)))) ++number;
    return run_folder_name(results, name, run_id, number);
}

void require_new_folder(const fs::path& folder) {
    const auto target = without_slash(folder);
    std::error_code ignored;
    if (fs::exists(fs::symlink_status(target, ignored))) exists_already(target);
    make_folder(folder_above(target));
    const StagedFolder trial(target);
}

void write_run_folder(const fs::path& folder, const RunRecord& run) {
    const auto target = without_slash(folder);
    std::error_code ignored;
    if (fs::exists(fs::symlink_status(target, ignored))) exists_already(target);
    make_folder(folder_above(target));
    StagedFolder temporary(target);
    write_files(temporary.path(), run);
    if (!temporary.publish()) exists_already(target);
}

void replace_run_folder(const fs::path& folder, const RunRecord& run) {
    StagedFolder temporary(without_slash(folder));
    write_files(temporary.path(), run);
    temporary.replace();
}

fs::path write_new_run_folder(const fs::path& results, const RunRecord& run) {
    constexpr int attempts = 100;
    for (int attempt = 1;; ++attempt) {
        auto folder = choose_run_folder(results, run.name, run.run_id);
        try {
            write_run_folder(folder, run);
            return folder;
        } catch (const UsageError&) {
            if (attempt == attempts) throw;
        }
    }
}

RunResults read_run_folder(const fs::path& folder) {
    const auto summary = folder / summary_file;
    if (!fs::is_regular_file(summary)) {
        throw MissingFileError(
            fmt::format("{}: is no run folder, it has no {}; name one that `convoy run` wrote",
                        folder.string(), summary_file));
    }
    const auto csv = [&folder](std::string_view name, auto read) {
        const auto file = folder / name;
        return read(read_text(file, max_csv_bytes), file.string());
    };
    RunResults results;
    read_summary_json(parse_json(read_text(summary, max_summary_bytes), summary.string()), summary.string(),
                      results);
    results.operators = csv(operators_file, read_operators_csv);
    results.steps = csv(steps_file, read_steps_csv);
    results.epochs = csv(epochs_file, read_epochs_csv);
    results.system = csv(system_file, read_system_csv);
    return results;
}

}  // namespace convoy
