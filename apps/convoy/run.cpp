#include "run.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/console.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "command_line.hpp"
#include "data/folders.hpp"
#include "earlier_run.hpp"
#include "experiment.hpp"
#include "joining.hpp"
#include "monitoring.hpp"
#include "report/overview.hpp"
#include "report/partial_folder.hpp"
#include "report/recovery.hpp"
#include "report/run_folder.hpp"
#include "report/summary.hpp"
#include "spec/parse.hpp"
#include "spec/run_identity.hpp"
#include "voice.hpp"
#include "world_node.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;
namespace options = boost::program_options;

options::options_description run_options_described() {
    auto described = option_group();
    add_set_option(described, "the spec");
    described.add_options()  //
        ("out", options::value<std::string>()->value_name("DIR"),
         "the run's folder; results/NAME-RUNID without it")                                                //
        ("resume", "continue from the newest checkpoint of a run that was ended; begin if there is none")  //
        ("accept-changes", "with --resume: go on although convoy's build or the data have changed");
    add_data_option(described);
    described.add_options()                               //
        ("json", "print summary.json instead of tables")  //
        ("dry-run", "check the spec and print its plan");
    add_voice_options(described);
    described.add(monitoring_options_described());
    described.add(joining_options_described());
    return described;
}

constexpr auto results_folder = "results";

/// Where a run goes, and what is there.
struct Found {
    Destination to;
    bool resume = false;
    std::optional<RunResults> before = {};  ///< what a run with the same identity left there
};

/// Throws UsageError if the run folder that is there cannot be gone on with.
void check_before(const Found& found, const ExperimentSpec& spec, const std::string& id) {
    const auto& folder = found.to.folder;
    if (found.before->run_id != id &&
        (found.before->status == RunStatus::done || !is_of_training(folder, spec))) {
        throw UsageError(
            fmt::format("{}: holds run {}, and this spec is run {}; give the spec of the run, "
                        "which may differ in its nodes and strategy, or another --out",
                        folder.string(), found.before->run_id, id));
    }
    if (found.before->status != RunStatus::done && !has_checkpoints(checkpoints_beside(folder))) {
        throw UsageError(
            fmt::format("{}: was interrupted and left no checkpoint to go on from; choose another --out",
                        folder.string()));
    }
}

Found find_destination(const ExperimentSpec& spec, const std::optional<fs::path>& out, bool resume) {
    const auto id = run_id(spec).substr(0, 12);
    Found found{.to = {}, .resume = resume};
    if (!out) found.to.results_folder = results_folder;
    if (resume) {
        found.to.folder = out ? *out : folder_to_resume(results_folder, spec.name, id);
    } else {
        found.to.folder = out ? *out : choose_run_folder(results_folder, spec.name, id);
    }
    if (!found.to.folder.has_filename()) found.to.folder = found.to.folder.parent_path();
    // A spec without checkpoints goes on from none, but those of another spec may be there.
    found.to.sets_aside =
        resume && (spec.checkpoints || !has_checkpoints(checkpoints_beside(found.to.folder)));
    if (resume) {
        for (const auto& folder : {found.to.folder, partial_beside(found.to.folder)})
            require_own_version(folder);
    }
    if (!resume || !is_taken(found.to.folder)) {
        require_new_folder(found.to.folder);
        return found;
    }
    found.before = read_run_folder(found.to.folder);
    check_before(found, spec, id);
    found.to.replaces = true;
    return found;
}

void tell(const RunResults& results, const fs::path& folder, const Telling& telling) {
    const auto written = fmt::format("written to {}", folder.string());
    if (telling.json) return print(json_text(summary_json(results), 2) + "\n", written);
    if (telling.voice.is_quiet()) return print(printable(written) + "\n", written);
    const auto width = terminal_width();
    const auto tables = overview_text(results, {.bars = width.has_value(), .width = width});
    print(fmt::format("{}\n{}\n", tables, printable(written)), written);
}

/// Throws UsageError if an ended process left a part of another training than the spec's, or a whole run of
/// other nodes or another strategy.
void check_partial(const fs::path& partial, bool trained, const ExperimentSpec& spec) {
    const auto id = run_id(spec).substr(0, 12);
    const auto found = read_partial_header(partial).run.run_id;
    if (found == id || (!trained && is_of_training(partial, spec))) return;
    throw UsageError(
        fmt::format("{0}: holds run {1}{2}, and this spec is run {3}; give the spec of the run, or another "
                    "--out, or make "
                    "a run folder of it with `convoy recover {0}`",
                    partial.string(), found, trained ? ", which was trained to its end" : "", id));
}

/// Completes a run of this spec that had been trained to its end when its process was killed. False if there
/// is none.
bool complete(const Found& found, const ExperimentSpec& spec, const Telling& telling) {
    const auto partial = partial_beside(found.to.folder);
    if (!found.resume || !is_partial_run(partial) || is_held(partial)) return false;
    if (read_partial_header(partial).state == PartialState::replaced) return false;
    const bool trained = is_trained(partial);
    // Checkpoints tell themselves of which training they are.
    if (trained || !has_checkpoints(checkpoints_beside(found.to.folder)))
        check_partial(partial, trained, spec);
    if (!trained) return false;
    const auto recovered = recover(partial, found.to.folder, std::nullopt, found.to.replaces);
    for (const auto& warning : recovered.warnings) telling.voice.warn(warning);
    telling.voice.tell(
        fmt::format("{}: had been trained to the end, and is complete now", found.to.folder.string()));
    remove_checkpoints(checkpoints_beside(found.to.folder));
    tell(recovered.results, recovered.folder, telling);
    return true;
}

/// How a run that was interrupted can go on: the end of the line that tells of it.
std::string going_on_text(const ExperimentSpec& spec, const CheckpointFolder* checkpoints) {
    if (spec.failures.policy == FailurePolicy::shrink)
        return "; a run with the policy \"shrink\" has no checkpoints, so --resume cannot go on";
    if (checkpoints == nullptr) return "; with `checkpoints` in its spec, --resume could have gone on";
    return has_checkpoints(checkpoints->path()) ? ", and --resume goes on"
                                                : "; there was no checkpoint yet, so --resume cannot go on";
}

/// Trains, writes the folder and prints what came out. Returns the exit code.
int run(const CheckedSpec& checked, const RunDescription& description, const Found& found,
        const fs::path& data_folder, const Joining& joining, const MonitoringPlaces& places,
        const Telling& telling) {
    using enum CheckpointFolder::Open;
    const auto& spec = checked.spec;
    if (found.resume && !spec.checkpoints)
        telling.voice.tell("the spec has no checkpoints: starts from the beginning");
    const auto checkpoints = checkpoints_of(spec, found.to.folder, found.resume ? resume : fresh);
    const auto finished = run_experiment(checked, description, data_folder, found.to, checkpoints.get(),
                                         telling.voice, joining, places);
    const bool is_complete = finished.results.status == RunStatus::done;
    if (checkpoints && is_complete) checkpoints->clear();
    if (!is_complete) {
        say(fmt::format("interrupted after step {}; the finished part is kept{}", finished.results.last_step,
                        going_on_text(spec, checkpoints.get())));
    }
    tell(finished.results, finished.folder, telling);
    return static_cast<int>(is_complete ? ExitCode::done : ExitCode::interrupted);
}

}  // namespace

CommandForm run_form() {
    return {.name = "run",
            .arguments = {{.name = "spec", .shown = "SPEC"}},
            .summary = "trains the network of a spec and writes a run folder",
            .options = run_options_described(),
            .values = {{"starter", {"auto", "local", "mpi", "slurm", "torchrun", "ssh"}},
                       {"log-level", {"error", "warning", "info", "debug"}}}};
}

int run_command(std::span<const std::string> arguments) {
    const auto form = run_form();
    const auto given = parse_arguments(form, arguments);
    if (print_help(given, form)) return 0;
    const auto telling = telling_given(given);
    const auto& voice = telling.voice;
    const auto world = world_given(given);
    if (world && world->rank.value > 0) return run_world_node(given, *world, arguments);
    // Before the data are looked at, and the plan is made.
    if (world) {
        const auto spec = load_spec(spec_given(given), overrides_given(given));
        require_nodes(*world, spec.world_size());
        require_own_nodes(spec, *world);
        require_mpi_if_used(spec, is_of_open_mpi(*world));
    }
    const auto data_folder = find_data_folder(path_given(given, "data"));
    voice.detail("data folder: " + data_folder.string());
    const auto checked = check_spec(spec_given(given), overrides_given(given), data_folder, voice);
    voice.detail("the spec is right, and its plan is made");
    const auto& spec = checked.spec;
    const Joining joining(given, spec, world);
    const auto places = monitoring_places_given(given);
    if (given.contains("dry-run") && given.contains("json"))
        throw UsageError("--dry-run: prints text; `convoy plan SPEC --json` prints the plan as JSON");
    if (given.contains("dry-run")) print(plan_text(checked));
    if (!joining.is_elsewhere()) require_memory(checked, joining.awaited());
    if (given.contains("dry-run")) {
        if (const auto shared = shared_cores_here(checked, joining)) voice.warn(*shared);
        return 0;
    }
    const auto found = find_destination(spec, path_given(given, "out"), given.contains("resume"));
    if (given.contains("accept-changes") && !found.resume)
        throw UsageError("--accept-changes: is for a run that --resume continues");
    DataDigests digests;
    RunDescription description(spec, data_folder, digests);
    if (spec.dataset.has_addresses()) description.set_fetched(checked.fetched);
    if (joining.tls()) description.set_tls(*joining.tls());
    voice.detail("the digests of the data are known");
    const bool is_complete = found.before && found.before->status == RunStatus::done;
    // Else the run begins again, or only its tables are written.
    if (found.resume && (is_complete || has_checkpoints(checkpoints_beside(found.to.folder)))) {
        for (const auto& folder : {found.to.folder, partial_beside(found.to.folder)})
            require_same_origin(folder, description, given.contains("accept-changes"), voice);
    }
    if (is_complete) {
        voice.tell(fmt::format("{}: is complete", found.to.folder.string()));
        tell(*found.before, found.to.folder, telling);
        return 0;
    }
    if (complete(found, spec, telling)) return 0;
    return run(checked, description, found, data_folder, joining, places, telling);
}

}  // namespace convoy
