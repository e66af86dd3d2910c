#include "placing.hpp"

#include <fmt/format.h>

#include <exception>

#include "base/end_on_signal.hpp"
#include "base/files.hpp"
#include "base/handled_error.hpp"
#include "checkpoint/checkpoint_folder.hpp"
#include "report/recovery.hpp"
#include "report/run_folder.hpp"
#include "report/run_folder_format.hpp"

namespace convoy {

namespace fs = std::filesystem;

namespace {

/// The journals stay with the checkpoints, for --resume.
std::optional<fs::path> journals_to_keep(const RunRecord& run, const fs::path& folder) {
    if (run.status == RunStatus::done || !has_checkpoints(checkpoints_beside(folder))) return std::nullopt;
    return journals_beside(folder);
}

/// Whether there is an interrupted OUT that this run was to replace, and that recover may leave in its place.
/// What cannot be read is no reason to replace the error that the user has to see.
bool may_have_more(const fs::path& run_folder, const fs::path& partial) {
    try {
        return is_present(run_folder) && !is_trained(partial);
    } catch (const std::exception&) {
        return true;
    }
}

/// A line, and where the results are that OUT.partial has, and what completes them.
std::string with_place(const std::string& line, const PartialRun& partial, const fs::path& run_folder) {
    const auto name = partial.path().string();
    const bool needs_other = may_have_more(run_folder, partial.path());
    std::error_code unknown;
    const bool has_weights = fs::exists(partial.path() / weights_file, unknown);
    const bool resumes = has_checkpoints(checkpoints_beside(run_folder));
    return fmt::format("{}; {} has {}: `convoy recover {} {}` makes a run folder of it{}", line, name,
                       has_weights ? "the trained weights and the tables" : "the tables of the finished part",
                       name, needs_other ? "--out OTHER" : "[--out OUT]",
                       resumes ? ", --resume goes on from the checkpoint" : "");
}

/// Writes all files. OUT.partial can be completed whenever a signal ends the process.
RunResults finish(PartialRun& partial, const RunRecord& run, const fs::path& run_folder) {
    const EndOnSignal ends(with_place("interrupted", partial, run_folder));
    return partial.finish(run);
}

fs::path publish(PartialRun& partial, const RunRecord& run, const Destination& destination) {
    const auto keep = journals_to_keep(run, destination.folder);
    if (destination.replaces) {
        partial.replace(destination.folder, keep);
        return destination.folder;
    }
    if (partial.publish(destination.folder, keep)) return destination.folder;
    // Checkpoints have the name of their run folder.
    if (!destination.results_folder || keep)
        throw OutputError(
            fmt::format("{}: was made by another program meanwhile", destination.folder.string()));
    for (int number = 2;; ++number) {
        auto next = run_folder_name(*destination.results_folder, run.name, run.run_id, number);
        if (partial.publish(next, keep)) return next;
    }
}

}  // namespace

fs::path journals_beside(const fs::path& run_folder) {
    return checkpoints_beside(run_folder) / partial_records;
}

FinishedRun place(PartialRun& partial, const RunRecord& run, const Destination& destination,
                  const Voice& voice) {
    if (run.status != RunStatus::done && !destination.keeps_interrupted)
        return {header_of(run), partial.path()};
    // Signals are let through while tables are written, and not while folders and journals get their names.
    const HeldSignals held;
    try {
        voice.detail("writes the tables to " + partial.path().string());
        auto results = finish(partial, run, destination.folder);
        for (const auto& line : partial.damage()) voice.warn(line);
        auto folder = publish(partial, run, destination);
        voice.detail("the run folder is complete");
        let_waiting_signals_end("interrupted; written to " + folder.string());
        return {std::move(results), std::move(folder)};
    } catch (const std::exception&) {
        rethrow_with_place(partial, destination.folder);
    }
}

void rethrow_with_place(const PartialRun& partial, const fs::path& run_folder) {
    if (!partial.has_results()) throw;
    const auto error = handled_error(ExitCode::cannot_write);
    throw Error(error.code(), with_place(error.what(), partial, run_folder));
}

}  // namespace convoy
