#include "report/run_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json_text.hpp"
#include "base/open_to_read.hpp"
#include "base/overloaded.hpp"
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

/// Adds the rows of a file that count to the results.
template <typename Record, typename Counts>
void read_file(const fs::path& file,
               void (*read)(std::istream&, const std::string&, const std::function<void(const Record&)>&),
               ResultsBuilder& builder, const Counts& counts) {
    read(*open_stream(file), file.string(), [&](const Record& row) {
        if (counts(row)) builder.add(row);
    });
}

/// Reads the results of a run, of the rows for which counts(row) is true.
template <typename Counts>
RunResults read_records(const fs::path& folder, const Counts& counts) {
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
    read_file(folder / operators_file, read_operators_csv, builder, counts);
    read_file(folder / steps_file, read_steps_csv, builder, counts);
    read_file(folder / epochs_file, read_epochs_csv, builder, counts);
    read_file(folder / system_file, read_system_csv, builder, counts);
    if (is_file(folder / updates_file)) read_file(folder / updates_file, read_updates_csv, builder, counts);
    for (const auto& node : summaries) builder.add(node);
    return builder.finish();
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
    return read_records(folder, [](const auto&) { return true; });
}

ChosenRun read_chosen_run(const fs::path& folder, const RecordChoice& choice) {
    ChosenRun chosen;
    std::set<std::int64_t> epochs, nodes, seen;
    std::map<std::int64_t, std::int64_t> steps, all_steps;
    chosen.results = read_records(
        folder, Overloaded{[&](const OperatorRecord& row) {
                               if (row.phase == RunPhase::train) seen.insert(row.epoch);
                               const bool counts = choice.has_epoch(row.epoch) && choice.has_node(row.node);
                               if (!counts || row.phase != RunPhase::train) return counts;
                               epochs.insert(row.epoch);
                               nodes.insert(row.node);
                               return true;
                           },
                           [&](const StepRecord& row) {
                               const bool counts = choice.has_epoch(row.epoch) && choice.has_node(row.node);
                               ++all_steps[row.node];
                               if (counts) ++steps[row.node];
                               return counts;
                           },
                           [&](const EpochRecord& row) { return choice.has_epoch(row.epoch); },
                           [](const auto&) { return true; }});
    if (epochs.empty()) {
        throw DataError(seen.empty() ? fmt::format("{}: has no operators of training", folder.string())
                                     : fmt::format("{}: has no operators of that node and these epochs; it "
                                                   "has {} nodes, and the epochs {} to {}",
                                                   folder.string(), chosen.results.nodes, *seen.begin(),
                                                   *seen.rbegin()));
    }
    chosen.epochs = std::ssize(epochs);
    chosen.nodes = std::ssize(nodes);
    chosen.all_epochs = std::ssize(seen);
    for (const auto& [node, count] : steps) chosen.steps = std::max(chosen.steps, count);
    for (const auto& [node, count] : all_steps) chosen.all_steps = std::max(chosen.all_steps, count);
    return chosen;
}

}  // namespace convoy
