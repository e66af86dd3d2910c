#include "report/recovery.hpp"

#include <fmt/format.h>

#include <set>

#include "base/error.hpp"
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
        case PartialState::complete: return read_run_folder(partial).status == "done";
        case PartialState::running:
            return fs::exists(partial / weights_file) &&
                   all_have_told(header, JournalFolder(partial / partial_records));
        default: return false;
    }
}

}  // namespace

bool is_trained(const fs::path& partial) {
    return is_partial_run(partial) && is_done(read_partial_header(partial), partial);
}

RecoveredRun recover(const fs::path& partial, const fs::path& target,
                     const std::optional<fs::path>& keep_journals) {
    PartialRun run(partial);
    auto header = read_partial_header(partial);
    if (header.state == PartialState::replaced)
        throw UsageError(
            fmt::format("{}: is what another run took the place of, and can be removed", partial.string()));
    require_new_folder(target);
    const bool done = is_done(header, partial);
    header.run.status = done ? "done" : "interrupted";
    // A complete one lost its journals.
    auto results = header.state == PartialState::complete ? read_run_folder(partial) : run.finish(header.run);
    if (!run.publish(target, done ? std::nullopt : keep_journals))
        throw UsageError(fmt::format("{}: exists already; choose another --out", target.string()));
    auto warnings = run.damage();
    if (run.lock_warning()) warnings.push_back(*run.lock_warning());
    return {target, std::move(results), std::move(warnings)};
}

}  // namespace convoy
