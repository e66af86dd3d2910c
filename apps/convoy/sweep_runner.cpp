#include "sweep_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "base/console.hpp"
#include "base/count_text.hpp"
#include "base/end_on_signal.hpp"
#include "base/files.hpp"
#include "base/printable.hpp"
#include "earlier_run.hpp"
#include "experiment.hpp"
#include "report/partial_folder.hpp"
#include "report/recovery.hpp"
#include "sweep/repetition.hpp"
#include "sweep/sweep_folder.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;

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

/// A run's turn in words.
struct TurnWords {
    std::string number;  ///< "run 3"
    std::string of;      ///< " of 12"
    std::string sweep;   ///< ", results/A" with several sweeps
};

void announce(const TurnWords& turn, const Sweep& sweep, const SweepRun& run, const Voice& voice) {
    auto text = turn.number + turn.of + turn.sweep + ":";
    for (std::size_t i = 0; i < sweep.axes.size(); ++i)
        text += fmt::format(" {}={}", sweep.axes[i].field, run.settings[i]);
    voice.tell(fmt::format("{} repeat={} ({})", text, run.repeat, run.run_id));
}

/// What failed, now or before, with the code of the first one; absent where all is well.
std::optional<Error> failures_of(const Sweep& sweep, const SweepFolder& folder) {
    int code = 0;
    std::size_t failed = 0;
    std::size_t runs = 0;
    for (std::size_t i = 0; i < sweep.runs.size(); ++i) {
        const auto entry = folder.entry(sweep.runs[i]);
        runs += is_spare(sweep, i, entry) ? 0 : 1;
        if (entry.state != RunState::failed) continue;
        if (failed++ == 0) code = entry.code;
    }
    if (failed == 0) return std::nullopt;
    return Error(static_cast<ExitCode>(code),
                 fmt::format("{} of {} runs failed, see {}; --retry-failed runs them again", failed, runs,
                             (folder.path() / "failed").string()));
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
    return run.results.status == RunStatus::done;
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
    return fmt::format("{} of this sweep: another build or other data; the first: {}",
                       count_text(unlike, "other run"), first);
}

/// A sweep under way.
struct OpenSweep {
    const Sweep& sweep;
    SweepFolder folder;
    std::optional<std::string> changes;  ///< that its runs to come are to tell
};

EntryOfRun entries_of(const OpenSweep& open) {
    return [&open](std::size_t run) { return open.folder.entry(open.sweep.runs[run]); };
}

/// Trains one run of a sweep if it is due, and keeps its result. False where the user interrupted it.
bool take_turn(const OpenSweep& open, std::size_t position, const TurnWords& turn,
               const SweepArguments& arguments, DataDigests& digests) {
    const auto& [sweep, folder, changes] = open;
    const auto& run = sweep.runs[position];
    const auto place = folder.run_folder(run);
    if (!is_due(folder.entry(run), arguments.retry_failed)) {
        // Those of a process that was killed between keeping a run and clearing them.
        if (is_present(place)) remove_checkpoints(checkpoints_beside(place));
        return true;
    }
    make_room(folder, run, arguments.voice);
    announce(turn, sweep, run, arguments.voice);
    try {
        const auto checked = check_spec(run.spec, arguments.data_folder, arguments.voice);
        require_memory(checked);
        const bool begun = is_present(checkpoints_beside(place));
        const auto checkpoints = checkpoints_of(
            run.spec, place, begun ? CheckpointFolder::Open::resume : CheckpointFolder::Open::fresh);
        RunDescription description(checked.spec, arguments.data_folder, digests);
        if (run.spec.dataset.has_addresses()) description.set_fetched(checked.fetched);
        if (changes) description.accept_change(*changes);
        if (!run_one(checked, place, arguments, std::move(description), checkpoints.get())) return false;
        folder.forget_failure(run);
        if (checkpoints) checkpoints->clear();
    } catch (const Error& error) {
        // A full disk, or an impatient user, would end every other run too.
        if (error.code() == ExitCode::cannot_write || error.code() == ExitCode::interrupted) throw;
        say(fmt::format("{}{} failed: {}", turn.number, turn.sweep, error.what()));
        folder.keep_failure(run, error);
        receive_signals();  // the error has been said
    }
    folder.write_tables();
    return true;
}

/// Opens a sweep's folder; throws as run_sweeps does.
std::unique_ptr<OpenSweep> open_sweep(const SweepPlace& place, const SweepArguments& arguments,
                                      DataDigests& digests) {
    std::unique_ptr<OpenSweep> open(
        new OpenSweep{place.sweep, SweepFolder(place.folder, place.sweep, arguments.resume), {}});
    if (open->folder.lock_warning()) arguments.voice.warn(*open->folder.lock_warning());
    open->changes = require_one_origin(place.sweep, open->folder, arguments, digests);
    open->folder.write_tables();
    return open;
}

}  // namespace

SweepOutcome run_sweeps(std::span<const SweepPlace> places, const SweepArguments& arguments) {
    DataDigests digests;
    std::vector<std::unique_ptr<OpenSweep>> open;
    std::vector<const Sweep*> sweeps;
    bool repeats_by_results = false;
    // Before the first of them is made: a command that is refused leaves nothing behind.
    for (const auto& place : places)
        if (!arguments.resume) require_no_sweep(place.folder);
    for (const auto& place : places) {
        open.push_back(open_sweep(place, arguments, digests));
        sweeps.push_back(&place.sweep);
        repeats_by_results |= place.sweep.repeats_by_results();
    }
    std::vector<SweepInTraining> together;
    for (const auto& one : open) together.push_back({.sweep = &one->sweep, .entry_of = entries_of(*one)});
    const auto order = training_order(sweeps);
    SweepOutcome outcome;
    for (std::size_t i = 0; i < order.size() && outcome.finished; ++i) {
        const auto& one = *open[order[i].sweep];
        const auto run = order[i].run;
        if (!is_needed(together, order[i].sweep, run)) continue;
        const TurnWords turn{
            .number = fmt::format("run {}", i + 1),
            .of = fmt::format(" of {}{}", repeats_by_results ? "at most " : "", order.size()),
            .sweep = places.size() > 1 ? ", " + printable(places[order[i].sweep].folder.string()) : ""};
        outcome.finished = take_turn(one, run, turn, arguments, digests);
    }
    for (const auto& one : open) {
        one->folder.write_tables();
        if (auto failures = failures_of(one->sweep, one->folder))
            outcome.failures.push_back(std::move(*failures));
    }
    return outcome;
}

}  // namespace convoy
