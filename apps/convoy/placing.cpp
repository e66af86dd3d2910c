#include "placing.hpp"

#include <fmt/format.h>

#include <csignal>
#include <exception>

#include "base/console.hpp"
#include "base/files.hpp"
#include "base/lack_of_memory.hpp"
#include "checkpoint/checkpoint_folder.hpp"
#include "report/recovery.hpp"
#include "report/run_folder.hpp"
#include "report/run_folder_format.hpp"

namespace convoy {

namespace fs = std::filesystem;

namespace {

/// The journals stay with the checkpoints, for --resume.
std::optional<fs::path> journals_to_keep(const RunRecord& run, const fs::path& folder) {
    if (run.status == "done" || !has_checkpoints(checkpoints_beside(folder))) return std::nullopt;
    return journals_beside(folder);
}

/// This thread takes no SIGINT, SIGTERM and SIGHUP while an object of this class lives.
class HeldSignals {
  public:
    HeldSignals() {
        sigset_t held;
        ::sigemptyset(&held);
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&held, signal);
        ::pthread_sigmask(SIG_BLOCK, &held, &before_);
    }
    HeldSignals(const HeldSignals&) = delete;
    HeldSignals& operator=(const HeldSignals&) = delete;
    HeldSignals(HeldSignals&&) = delete;
    HeldSignals& operator=(HeldSignals&&) = delete;
    ~HeldSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  private:
    sigset_t before_{};
};

/// Whether there is an interrupted OUT that this run was to replace, and that recover may leave in its place.
/// What cannot be read is no reason to replace the error that the user has to see.
bool may_have_more(const fs::path& run_folder, const fs::path& partial) {
    try {
        return is_present(run_folder) && !is_trained(partial);
    } catch (const std::exception&) {
        return true;
    }
}

/// The exception that is being handled.
Error handled_error() {
    try {
        throw;
    } catch (const Error& error) {
        return error;
    } catch (const fs::filesystem_error& error) {
        return OutputError(fmt::format("{}: {}", error.path1().string(), error.code().message()));
    } catch (const std::exception& error) {
        if (const auto lack = lack_of_memory(error)) return DataError(*lack);
        return InternalError(fmt::format("a bug: {}; please report it with the spec", error.what()));
    }
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

FinishedRun place(PartialRun& partial, const RunRecord& run, const Destination& destination) {
    if (run.status != "done" && !destination.keeps_interrupted) return {header_of(run), partial.path()};
    const HeldSignals held;
    try {
        auto results = partial.finish(run);
        for (const auto& line : partial.damage()) say("warning: " + line);
        auto folder = publish(partial, run, destination);
        return {std::move(results), std::move(folder)};
    } catch (const std::exception&) {
        rethrow_with_place(partial, destination.folder);
    }
}

void rethrow_with_place(const PartialRun& partial, const fs::path& run_folder) {
    if (!partial.has_results()) throw;
    const auto error = handled_error();
    const auto name = partial.path().string();
    const bool is_there = may_have_more(run_folder, partial.path());
    std::error_code unknown;
    const bool has_weights = fs::exists(partial.path() / weights_file, unknown);
    const bool resumes = has_checkpoints(checkpoints_beside(run_folder));
    throw Error(
        error.code(),
        fmt::format("{}; {} has {}: `convoy recover {} {}` makes a run folder of it{}", error.what(), name,
                    has_weights ? "the trained weights and the tables" : "the tables of the finished part",
                    name, is_there ? "--out OTHER" : "[--out OUT]",
                    resumes ? ", --resume goes on from the checkpoint" : ""));
}

}  // namespace convoy
