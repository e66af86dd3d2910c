#include "paper/settled_sweep.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json_text.hpp"
#include "base/sha256.hpp"
#include "paper/archive_format.hpp"
#include "paper/archive_text.hpp"
#include "report/run_folder_format.hpp"
#include "sweep/repetition.hpp"
#include "sweep/sweep_results.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json object_of(const fs::path& file) {
    auto value = parse_json(read_file_text(file, most_archived_file_bytes), file.string());
    if (!value.is_object()) throw DataError(fmt::format("{}: expected an object", file.string()));
    return value;
}

json index_of(const SettledSweep& sweep) {
    auto runs = json::array();
    for (const auto& run : sweep.runs) {
        runs.push_back({{"settings", run.settings},
                        {"repeat", run.repeat},
                        {"run_id", run.run_id},
                        {"folder", run.folder},
                        {"weights_sha256", run.weights_sha256}});
    }
    return {{"format", archive_kind},   {"version", archive_version}, {"name", sweep.name},
            {"id", sweep.id},           {"fields", sweep.fields},     {"repeats", sweep.repeats},
            {"planned", sweep.planned}, {"runs", std::move(runs)}};
}

}  // namespace

SettledSweep settled_sweep(const fs::path& sweep_folder) {
    const auto kept = kept_sweep(sweep_folder);
    SettledSweep settled{.name = kept.sweep.name,
                         .id = kept.sweep.id,
                         .fields = {},
                         .repeats = kept.sweep.repeats,
                         .planned = 0,
                         .repetition_rule = repetition_rule(kept.sweep),
                         .runs = {}};
    for (const auto& axis : kept.sweep.axes) settled.fields.push_back(axis.field);
    for (std::size_t i = 0; i < kept.entries.size(); ++i) {
        if (!is_spare(kept.sweep, i, kept.entries[i])) ++settled.planned;
        if (kept.entries[i].state != RunState::done) continue;
        const auto& run = kept.sweep.runs[i];
        const auto folder = run_folder_of(sweep_folder, run);
        settled.runs.push_back({.settings = run.settings,
                                .repeat = run.repeat,
                                .run_id = run.run_id,
                                .folder = folder.filename().string(),
                                .weights_sha256 = sha256_of_file(folder / weights_file),
                                .summary = object_of(folder / summary_file),
                                .environment = object_of(folder / environment_file),
                                .spec = object_of(folder / spec_file)});
    }
    return settled;
}

ArchiveFiles archive_files_of(const fs::path& sweep_folder, const SettledSweep& sweep) {
    ArchiveFiles files;
    const auto add = [&files](std::string path, const fs::path& file) {
        files.emplace(std::move(path), read_file_text(file, most_archived_file_bytes));
    };
    add(std::string(sweep_file), sweep_folder / sweep_file);
    add(std::string(runs_file), sweep_folder / runs_file);
    for (const auto& run : sweep.runs)
        for (const auto file : archive_run_files)
            add(archive_path_of(run.folder, file), sweep_folder / archive_runs_folder / run.folder / file);
    files.emplace(archive_index_file, json_text(index_of(sweep), 2) + "\n");
    files.emplace(reproduce_file, reproduce_script(sweep));
    return files;
}

}  // namespace convoy
