#include "sweep/sweep_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "base/files.hpp"
#include "base/json_text.hpp"
#include "base/make_folder.hpp"
#include "report/render.hpp"
#include "report/run_folder_format.hpp"
#include "report/summary.hpp"
#include "sweep/sweep_measures.hpp"
#include "sweep/sweep_page.hpp"
#include "sweep/sweep_rows.hpp"
#include "sweep/sweep_tables.hpp"

namespace convoy {
namespace fs = std::filesystem;

namespace {

constexpr auto runs_folder = "runs";
constexpr auto failures_folder = "failed";

std::string file_stem(const SweepRun& run) {
    return fmt::format("{}-{}", run.spec.name, run.run_id);
}

fs::path failure_of(const fs::path& sweep_folder, const SweepRun& run) {
    return sweep_folder / failures_folder / (file_stem(run) + ".json");
}

/// The summary of a run that is done. Throws an Error that names the file if it is not this run's, or if the
/// run was interrupted.
nlohmann::json read_summary(const fs::path& file, const SweepRun& run) {
    auto summary = parse_json(read_file_text(file), file.string());
    RunResults results;
    read_summary_json(summary, file.string(), results);
    if (results.run_id != run.run_id)
        throw DataError(fmt::format("{}: is of run {}, not {}", file.string(), results.run_id, run.run_id));
    if (results.status != RunStatus::done)
        throw DataError(fmt::format("{}: the run was {}", file.string(), run_status_name(results.status)));
    return summary;
}

SweepEntry read_failure(const fs::path& file) {
    const auto kept = parse_json(read_file_text(file), file.string());
    const auto value = [&](const char* key) {
        return kept.is_object() ? kept.value(key, nlohmann::json()) : kept;
    };
    const auto error = value("error");
    const auto code = value("code");
    if (!error.is_string() || !code.is_number_integer() || code < 1 || code > 255)
        throw DataError(fmt::format("{}: expected an error and its exit code", file.string()));
    return {
        .state = RunState::failed, .error = error.get<std::string>(), .code = code.get<int>(), .summary = {}};
}

SweepEntry read_entry(const fs::path& sweep_folder, const SweepRun& run) {
    const auto run_folder = run_folder_of(sweep_folder, run);
    const auto failure = failure_of(sweep_folder, run);
    try {
        if (is_present(run_folder)) {
            return {.state = RunState::done,
                    .error = {},
                    .code = 0,
                    .summary = read_summary(run_folder / summary_file, run)};
        }
        return is_present(failure) ? read_failure(failure) : SweepEntry();
    } catch (const Error& problem) {
        // What cannot be opened may be whole: nobody is to take its place.
        std::error_code unknown;
        const auto file = is_present(run_folder) ? run_folder / summary_file : failure;
        const auto type = fs::status(file, unknown).type();
        const bool may_be_whole = type == fs::file_type::regular || type == fs::file_type::none;
        if (problem.code() == ExitCode::missing && may_be_whole) throw;
        return {.state = RunState::damaged, .error = problem.what(), .code = 0, .summary = {}};
    }
}

/// A line below a table of Markdown.
std::string below(const std::string& line) {
    return line.empty() ? "" : "\n" + line;
}

}  // namespace

fs::path run_folder_of(const fs::path& sweep_folder, const SweepRun& run) {
    return sweep_folder / runs_folder / file_stem(run);
}

std::string_view run_state_name(RunState state) {
    switch (state) {
        case RunState::pending: return "pending";
        case RunState::done: return "done";
        case RunState::failed: return "failed";
        case RunState::damaged: return "damaged";
    }
    throw InternalError("a state of a run without a name");
}

void require_no_sweep(const fs::path& folder) {
    if (!is_taken(folder)) return;
    throw UsageError(
        fmt::format("{}: exists already; give --resume to go on with it, or another --out", folder.string()));
}

SweepFolder::SweepFolder(fs::path folder, const Sweep& sweep, bool resume)
    : path_(std::move(folder)),
      sweep_(sweep),
      lock_(path_, SymbolicLinks::followed, "another convoy process has this sweep; wait for it",
            [this, resume] {
                if (!resume) require_no_sweep(path_);
                make_folder(path_);
            }) {
    const auto file = path_ / sweep_file;
    make_folder(path_ / runs_folder);
    if (is_present(file) && read_file_text(file) != sweep.text + "\n") {
        throw UsageError(fmt::format("{}: holds another sweep (see its {}); choose another --out",
                                     path_.string(), sweep_file));
    }
    write_whole(file, sweep.text + "\n");
}

fs::path SweepFolder::run_folder(const SweepRun& run) const {
    return run_folder_of(path_, run);
}

SweepEntry SweepFolder::entry(const SweepRun& run) const {
    return read_entry(path_, run);
}

std::optional<fs::path> SweepFolder::set_aside(const SweepRun& run) const {
    const auto folder = run_folder(run);
    if (!is_taken(folder)) return std::nullopt;
    fs::path aside = folder.string() + ".damaged";
    for (int number = 2; is_taken(aside); ++number)
        aside = fmt::format("{}.damaged-{}", folder.string(), number);
    std::error_code problem;
    fs::rename(folder, aside, problem);
    if (problem)
        throw OutputError(fmt::format("{}: cannot be renamed: {}", folder.string(), problem.message()));
    return aside;
}

void SweepFolder::forget_failure(const SweepRun& run) const {
    std::error_code ignored;
    fs::remove(failure_of(path_, run), ignored);
}

void SweepFolder::keep_failure(const SweepRun& run, const Error& error) const {
    const nlohmann::json failure{
        {"run_id", run.run_id}, {"code", static_cast<int>(error.code())}, {"error", error.what()}};
    make_folder(path_ / failures_folder);
    write_whole(failure_of(path_, run), json_text(failure, 2) + "\n");
}

void SweepFolder::write_tables() const {
    const auto entries = entries_of(sweep_, path_);
    write_whole(path_ / runs_file, to_csv(runs_table(sweep_, entries)));
    write_whole(path_ / report_file,
                to_markdown(medians_table(sweep_, entries)) + below(trust_lines(sweep_, entries)));
    write_whole(path_ / page_file, sweep_page(sweep_, entries));
}

std::vector<fs::path> run_folders_in(const fs::path& sweep_folder) {
    std::error_code ignored;
    auto folders = paths_in(sweep_folder / runs_folder, ignored);
    std::erase_if(folders, [](const fs::path& folder) { return !is_present(folder / summary_file); });
    std::ranges::sort(folders);
    return folders;
}

fs::path any_run_folder(const fs::path& sweep_folder) {
    const auto folders = run_folders_in(sweep_folder);
    return folders.empty() ? sweep_folder : folders.front();
}

bool is_sweep_folder(const fs::path& folder) {
    return is_present(folder / sweep_file) && is_present(folder / runs_file);
}

SweepFigures figures_in(const fs::path& folder) {
    const auto file = folder / runs_file;
    std::istringstream text(read_file_text(file));
    return sweep_figures(read_sweep_rows(text, file.string(), measured_columns, further_columns));
}

std::vector<SweepEntry> entries_of(const Sweep& sweep, const fs::path& folder) {
    std::vector<SweepEntry> entries;
    entries.reserve(sweep.runs.size());
    for (const auto& run : sweep.runs) entries.push_back(read_entry(folder, run));
    return entries;
}

}  // namespace convoy
