#include "run.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/console.hpp"
#include "base/error.hpp"
#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "command_line.hpp"
#include "data/folders.hpp"
#include "experiment.hpp"
#include "joining.hpp"
#include "report/overview.hpp"
#include "report/render.hpp"
#include "report/run_folder.hpp"
#include "report/run_folder_format.hpp"
#include "report/summary.hpp"
#include "spec/parse.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;
namespace options = boost::program_options;

options::options_description run_options_described() {
    options::options_description described("options");
    described.add_options()                                                                                //
        ("set", options::value<std::vector<std::string>>()->composing(),                                   //
         "KEY=VALUE: overrides a field of the spec, as in --set strategy.bucket_bytes=65536; may repeat")  //
        ("out", options::value<std::string>(), "the run's folder; results/NAME-RUNID without it")          //
        ("resume", "continue from the newest checkpoint of a run that was ended; without one, begin")      //
        ("data", options::value<std::string>(),
         "folder of datasets; else $CONVOY_DATA, else datasets/cache")  //
        ("json", "print summary.json instead of tables")                //
        ("dry-run", "check the spec and print its plan");
    described.add(joining_options_described());
    return described;
}

constexpr auto results_folder = "results";

/// Where a run goes, and what is there.
struct Destination {
    fs::path folder;
    bool given = false;  ///< by --out; else another name is taken where this one is gone by then
    bool resume = false;
    std::optional<RunResults> before;  ///< what a run with the same identity left there
};

/// The folder that a run without --out left checkpoints for, or else the first of its names.
fs::path folder_to_resume(const std::string& name, const std::string& id) {
    auto first = run_folder_name(results_folder, name, id, 1);
    for (int number = 1;; ++number) {
        auto folder = run_folder_name(results_folder, name, id, number);
        if (fs::exists(checkpoints_beside(folder))) return folder;
        if (!fs::exists(folder)) return first;
    }
}

/// Whether the folder's run is of the same training as the spec, perhaps with other nodes or another
/// strategy.
bool is_of_training(const fs::path& run_folder, const ExperimentSpec& spec) {
    try {
        return training_id(load_spec(run_folder / spec_file, {})) == training_id(spec);
    } catch (const Error&) {
        return false;
    }
}

Destination destination(const ExperimentSpec& spec, const std::optional<fs::path>& out, bool resume) {
    const auto id = run_id(spec).substr(0, 12);
    Destination found{.folder = {}, .given = out.has_value(), .resume = resume, .before = {}};
    if (!resume) {
        found.folder = out.value_or(choose_run_folder(results_folder, spec.name, id));
        require_new_folder(found.folder);
        return found;
    }
    found.folder = out ? *out : folder_to_resume(spec.name, id);
    if (!fs::exists(found.folder)) {
        require_new_folder(found.folder);
        return found;
    }
    found.before = read_run_folder(found.folder);
    if (found.before->run_id != id &&
        (found.before->status == "done" || !is_of_training(found.folder, spec))) {
        throw UsageError(
            fmt::format("{}: holds run {}, and this spec is run {}; give the spec of the run, "
                        "which may differ in its nodes and strategy, or another --out",
                        found.folder.string(), found.before->run_id, id));
    }
    if (found.before->status != "done" && !has_checkpoints(checkpoints_beside(found.folder))) {
        throw UsageError(
            fmt::format("{}: was interrupted and left no checkpoint to go on from; choose another --out",
                        found.folder.string()));
    }
    return found;
}

void tell(const RunResults& results, const fs::path& folder, bool json) {
    const auto written = fmt::format("written to {}", folder.string());
    if (json) return print(json_text(summary_json(results), 2) + "\n", written);
    const auto width = terminal_width();
    const auto tables =
        render_all(overview(results), TableFormat::text, {.bars = width.has_value(), .width = width});
    print(fmt::format("{}\n{}\n", tables, printable(written)), written);
}

/// Trains, writes the folder and prints what came out. Returns the exit code.
int run(const ExperimentSpec& spec, const Destination& destination, const fs::path& data_folder,
        const Joining& joining, bool json) {
    using enum CheckpointFolder::Open;
    if (destination.resume && !spec.checkpoints)
        say("the spec has no checkpoints: starts from the beginning");
    const auto checkpoints = checkpoints_of(spec, destination.folder, destination.resume ? resume : fresh);
    const auto record = run_experiment(spec, data_folder, checkpoints.get(), joining);
    auto folder = destination.folder;
    if (destination.before) {
        replace_run_folder(folder, record);
    } else if (destination.given) {
        write_run_folder(folder, record);
    } else {
        folder = write_new_run_folder(results_folder, record);
    }
    const bool complete = record.status == "done";
    if (checkpoints && complete) checkpoints->clear();
    const auto results = results_of(record);
    if (!complete) {
        const auto done = results.steps.empty() ? 0 : results.steps.back().step;
        say(fmt::format("interrupted after step {}; the finished part is kept{}", done,
                        checkpoints && has_checkpoints(checkpoints->path()) ? ", and --resume goes on" : ""));
    }
    tell(results, folder, json);
    return static_cast<int>(complete ? ExitCode::done : ExitCode::interrupted);
}

}  // namespace

int run_command(std::span<const std::string> arguments) {
    const auto described = run_options_described();
    const auto given = parse_arguments("run", arguments, described, {"spec"});
    if (print_help(given, "convoy run SPEC [options]: trains the network of a spec and writes a run folder",
                   described))
        return 0;
    const auto data_folder = find_data_folder(path_given(given, "data"));
    const auto checked =
        check_spec(given["spec"].as<std::vector<std::string>>().front(), overrides_given(given), data_folder);
    const auto& spec = checked.spec;
    const Joining joining(given, spec);
    if (given.contains("dry-run")) print(plan_text(checked, data_folder));
    require_memory(checked, joining.awaited());
    if (given.contains("dry-run")) return 0;
    const auto to = destination(spec, path_given(given, "out"), given.contains("resume"));
    const bool json = given.contains("json");
    if (to.before && to.before->status == "done") {
        say(fmt::format("{}: is complete", to.folder.string()));
        tell(*to.before, to.folder, json);
        return 0;
    }
    return run(spec, to, data_folder, joining, json);
}

}  // namespace convoy
