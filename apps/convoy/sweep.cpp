#include "sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/console.hpp"
#include "base/end_on_signal.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "command_line.hpp"
#include "data/folders.hpp"
#include "earlier_run.hpp"
#include "error_json.hpp"
#include "experiment.hpp"
#include "report/partial_folder.hpp"
#include "report/recovery.hpp"
#include "report/render.hpp"
#include "sweep/repetition.hpp"
#include "sweep/sweep_folder.hpp"
#include "sweep/sweep_spec.hpp"
#include "sweep/sweep_tables.hpp"
#include "sweep_json.hpp"
#include "voice.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;
namespace options = boost::program_options;

options::options_description sweep_options_described() {
    auto described = option_group();
    add_set_option(described, "the base spec");
    described.add_options()("out", options::value<std::string>()->value_name("DIR"),
                            "the sweep's folder; results/NAME-SWEEPID without it");
    add_data_option(described);
    described.add_options()                                                                          //
        ("resume", "continue a sweep that was ended; finished runs are kept")                        //
        ("accept-changes", "with --resume: go on although convoy's build or the data have changed")  //
        ("retry-failed", "resume, and run the failed runs again")                                    //
        ("list", "print the runs and how far they are, and run nothing")                             //
        ("json", "print one JSON object instead of tables");
    add_voice_options(described);
    return described;
}

bool is_due(const SweepEntry& entry, bool retry_failed) {
    switch (entry.state) {
        case RunState::pending:
        case RunState::damaged: return true;
        case RunState::failed: return retry_failed;
        case RunState::done: return false;
    }
    return false;
}

/// Makes room for a run whose files cannot be read, and says so.
void make_room(const SweepFolder& folder, const SweepRun& run, const Voice& voice) {
    const auto entry = folder.entry(run);
    if (entry.state != RunState::damaged) return;
    const auto aside = folder.set_aside(run);
    voice.warn(fmt::format("{}; {}the run is run again", entry.error,
                           aside ? fmt::format("its folder is {} now, and ", aside->string()) : ""));
}

/// place: in the order of training, from 0.
void announce(const Sweep& sweep, std::size_t place, const SweepRun& run, const Voice& voice) {
    std::string text =
        fmt::format("run {} of {}{}:", place + 1, sweep.precision ? "at most " : "", sweep.runs.size());
    for (std::size_t i = 0; i < sweep.axes.size(); ++i)
        text += fmt::format(" {}={}", sweep.axes[i].field, run.settings[i]);
    voice.tell(fmt::format("{} repeat={} ({})", text, run.repeat, run.run_id));
}

/// What failed, now or before, with the code of the first one; absent where all is well.
std::optional<Error> failures_of(const Sweep& sweep, const SweepFolder& folder) {
    int code = 0;
    std::size_t failed = 0;
    for (const auto& run : sweep.runs) {
        const auto entry = folder.entry(run);
        if (entry.state != RunState::failed) continue;
        if (failed++ == 0) code = entry.code;
    }
    if (failed == 0) return std::nullopt;
    return Error(static_cast<ExitCode>(code),
                 fmt::format("{} of {} runs failed, see {}; --retry-failed runs them again", failed,
                             sweep.runs.size(), (folder.path() / "failed").string()));
}

/// Trains a run, or completes one that had been trained to its end. False where the user interrupted it.
bool run_one(const CheckedSpec& checked, const fs::path& place, const SweepArguments& arguments,
             RunDescription description, const CheckpointFolder* checkpoints) {
    const auto partial = partial_beside(place);
    if (is_trained(partial)) {
        recover(partial, place, std::nullopt);
        return true;
    }
    const Destination to{.folder = place, .keeps_interrupted = false, .trains_again = true};
    constexpr bool accepted = true;  // or require_one_origin had refused it
    if (checkpoints != nullptr && checkpoints->opened() == CheckpointFolder::Open::resume)
        require_same_origin(partial, description, accepted, arguments.voice);
    const auto run =
        run_experiment(checked, description, arguments.data_folder, to, checkpoints, arguments.voice);
    return run.results.status == "done";
}

/// What differs between a run in the folder and the run that this process would make of its spec.
std::vector<std::string> differences_of(const fs::path& found, const SweepRun& run,
                                        const SweepArguments& arguments, DataDigests& digests) {
    try {
        return RunDescription(run.spec, arguments.data_folder, digests).differences_from(found);
    } catch (const Error& problem) {  // costs no finished run its place
        arguments.voice.warn(
            fmt::format("{}; build and data of {} are not compared", problem.what(), found.string()));
        return {};
    }
}

/// Throws UsageError if a run in the folder, done or begun, was made by another build of convoy or from other
/// data than the runs to come would be; if changes are accepted, it warns. Returns the line that the runs to
/// come are to tell; absent if all are alike.
std::optional<std::string> require_one_origin(const Sweep& sweep, const SweepFolder& folder,
                                              const SweepArguments& arguments, DataDigests& digests) {
    std::size_t unlike = 0;
    std::string first;
    for (const auto& run : sweep.runs) {
        const auto place = folder.run_folder(run);
        for (const auto& found : {place, partial_beside(place)}) {
            if (!is_present(found)) continue;
            const auto differences = differences_of(found, run, arguments, digests);
            if (differences.empty()) continue;
            const auto line = changes_text(found, differences);
            if (!arguments.accepts_changes) throw UsageError(line + how_to_accept_changes);
            arguments.voice.warn(line);
            if (unlike++ == 0) first = line;
        }
    }
    if (unlike == 0) return std::nullopt;
    return fmt::format("{} other run{} of this sweep: another build or other data; the first: {}", unlike,
                       unlike == 1 ? "" : "s", first);
}

/// Runs what is due and keeps each result at once. False where the user interrupted it.
bool run_all(const Sweep& sweep, const SweepFolder& folder, const SweepArguments& arguments,
             DataDigests& digests, const std::optional<std::string>& changes) {
    const auto order = training_order(sweep);
    const auto entry_of = [&](std::size_t number) { return folder.entry(sweep.runs[number]); };
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto& run = sweep.runs[order[i]];
        if (!is_needed(sweep, order[i], entry_of)) continue;
        const auto place = folder.run_folder(run);
        if (!is_due(folder.entry(run), arguments.retry_failed)) {
            // Those of a process that was killed between keeping a run and clearing them.
            if (is_present(place)) remove_checkpoints(checkpoints_beside(place));
            continue;
        }
        make_room(folder, run, arguments.voice);
        announce(sweep, i, run, arguments.voice);
        try {
            const auto checked = check_spec(run.spec, arguments.data_folder);
            require_memory(checked);
            const bool begun = is_present(checkpoints_beside(place));
            const auto checkpoints = checkpoints_of(
                run.spec, place, begun ? CheckpointFolder::Open::resume : CheckpointFolder::Open::fresh);
            RunDescription description(checked.spec, arguments.data_folder, digests);
            if (changes) description.accept_change(*changes);
            if (!run_one(checked, place, arguments, std::move(description), checkpoints.get())) return false;
            folder.forget_failure(run);
            if (checkpoints) checkpoints->clear();
        } catch (const Error& error) {
            // A full disk, or an impatient user, would end every other run too.
            if (error.code() == ExitCode::cannot_write || error.code() == ExitCode::interrupted) throw;
            say(fmt::format("run {} failed: {}", i + 1, error.what()));
            folder.keep_failure(run, error);
            receive_signals();  // the error has been said
        }
        folder.write_tables();
    }
    return true;
}

constexpr const char* interrupted_line =
    "interrupted; finished runs are kept, and --resume continues the sweep";

/// Tells how a sweep ended, and returns the exit code.
int print_end(const Sweep& sweep, const fs::path& path, const Telling& telling, const SweepOutcome& outcome) {
    const auto written = fmt::format("written to {}", path.string());
    const auto entries = entries_of(sweep, path);
    const auto& [finished, failures] = outcome;
    const auto error = finished ? failures : std::optional<Error>(InterruptedError(interrupted_line));
    if (!finished && failures) say(failures->what());
    if (telling.json) {
        auto content = sweep_end_json(sweep, entries, path);
        if (error) return print_with_error(std::move(content), *error);
        print(json_text(content, 2) + "\n", written);
        return 0;
    }
    print((telling.voice.is_quiet() ? ""
                                    : fmt::format("{}\n{}",
                                                  to_text(medians_table(sweep, entries),
                                                          {.bars = false, .width = terminal_width()}),
                                                  trust_lines(sweep, entries))) +
              printable(written) + "\n",
          written);
    if (error) say(error->what());
    return error ? static_cast<int>(error->code()) : 0;
}

}  // namespace

SweepOutcome run_sweep(const Sweep& sweep, const fs::path& path, const SweepArguments& arguments) {
    const SweepFolder folder(path, sweep, arguments.resume);
    if (folder.lock_warning()) arguments.voice.warn(*folder.lock_warning());
    DataDigests digests;
    const auto changes = require_one_origin(sweep, folder, arguments, digests);
    folder.write_tables();
    const bool finished = run_all(sweep, folder, arguments, digests, changes);
    folder.write_tables();
    return {.finished = finished, .failures = failures_of(sweep, folder)};
}

CommandForm sweep_form() {
    return {.name = "sweep",
            .arguments = {{.name = "sweep", .shown = "SWEEP"}},
            .summary = "runs every experiment of a grid; it can continue an ended sweep",
            .options = sweep_options_described()};
}

int sweep_command(std::span<const std::string> arguments) {
    const auto form = sweep_form();
    const auto given = parse_arguments(form, arguments);
    if (print_help(given, form)) return 0;
    const auto telling = telling_given(given);
    const auto& voice = telling.voice;
    const auto overrides = overrides_given(given);
    const auto sweep = load_sweep(argument_given(given, "sweep"), overrides);
    const auto path =
        path_given(given, "out").value_or(fs::path("results") / fmt::format("{}-{}", sweep.name, sweep.id));
    if (given.contains("list")) {
        const auto entries = entries_of(sweep, path);
        print(telling.json ? json_text(sweep_list_json(sweep, entries, path), 2) + "\n"
                           : to_text(plan_table(sweep, entries), {.bars = false, .width = terminal_width()}));
        return 0;
    }
    const SweepArguments wanted{.data_folder = find_data_folder(path_given(given, "data")),
                                .resume = given.contains("resume") || given.contains("retry-failed"),
                                .retry_failed = given.contains("retry-failed"),
                                .accepts_changes = given.contains("accept-changes"),
                                .voice = voice};
    if (wanted.accepts_changes && !wanted.resume)
        throw UsageError("--accept-changes: is for a sweep that --resume continues");
    const EndOnSignal ends(interrupted_line);
    const auto outcome = run_sweep(sweep, path, wanted);
    return print_end(sweep, path, telling, outcome);
}

}  // namespace convoy
