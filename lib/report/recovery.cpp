#include "report/recovery.hpp"

#include <fmt/format.h>

#include <set>

#include "base/end_on_signal.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "report/partial_run.hpp"
#include "report/run_folder.hpp"
#include "report/run_folder_format.hpp"

namespace convoy {
namespace fs = std::filesystem;

namespace {

/// Whether all nodes sent their last records, which stand behind the weights.
bool all_have_told(const PartialHeader& header, const JournalFolder& journals) {
    std::set<std::int64_t> told;
    journals.each(static_cast<std::uint32_t>(RecordKind::summaries), [&told](const NodeRecords& part) {
        for (const auto& summary : part.summaries) told.insert(summary.node);
    });
    return std::ssize(told) >= header.ranks;
}

bool is_done(const PartialHeader& header, const fs::path& partial) {
    switch (header.state) {
        case PartialState::trained: return true;
        case PartialState::complete: return read_run_folder(partial).status == RunStatus::done;
        case PartialState::running:
            return is_present(partial / weights_file) &&
                   all_have_told(header, JournalFolder(partial / partial_records));
        default: return false;
    }
}

/// Writes all files. `partial` can be completed whenever a signal ends the process.
RunResults finish(PartialRun& run, const RunRecord& record) {
    const EndOnSignal ends(
        fmt::format("interrupted; {0} has lost nothing: `convoy recover {0}` makes a run folder of it",
                    run.path().string()));
    return run.finish(record);
}

/// Whether a run folder has weights that the partial run lacks, or later steps.
bool has_more(const fs::path& run_folder, const fs::path& partial, const RunResults& results) {
    if (is_present(run_folder / weights_file) && !is_present(partial / weights_file)) return true;
    return read_run_folder(run_folder).last_step > results.last_step;
}

}  // namespace

bool is_trained(const fs::path& partial) {
    return is_partial_run(partial) && is_done(read_partial_header(partial), partial);
}

RecoveredRun recover(const fs::path& partial, const fs::path& target,
                     const std::optional<fs::path>& keep_journals, bool replaces) {
    PartialRun run(partial);
    auto header = read_partial_header(partial);
    if (header.state == PartialState::replaced)
        throw UsageError(
            fmt::format("{}: is what another run took the place of, and can be removed", partial.string()));
    const bool takes_place = replaces && is_present(target);
    if (!takes_place) require_new_folder(target);
    const bool done = is_done(header, partial);
    header.run.status = done ? RunStatus::done : RunStatus::interrupted;
    // A complete one may have given its journals away.
    auto results =
        header.state == PartialState::complete ? read_run_folder(partial) : finish(run, header.run);
    const auto keep = done ? std::nullopt : keep_journals;
    if (takes_place && has_more(target, partial, results)) {
        throw UsageError(
            fmt::format("{}: has more of this run than {}; choose another --out, or go on "
                        "with --resume",
                        target.string(), partial.string()));
    }
    const HeldSignals held;  // while folders and journals get their names
    if (takes_place) {
        run.replace(target, keep);
    } else if (!run.publish(target, keep)) {
        throw UsageError(fmt::format("{}: exists already; choose another --out", target.string()));
    }
    auto warnings = run.damage();
    if (run.lock_warning()) warnings.push_back(*run.lock_warning());
    let_waiting_signals_end("interrupted; written to " + target.string());
    return {target, std::move(results), std::move(warnings)};
}

}  // namespace convoy
