#include "sweep/sweep_results.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/version.hpp"
#include "sweep/sweep_folder.hpp"
#include "sweep/sweep_tables.hpp"

namespace convoy {
namespace fs = std::filesystem;

namespace {

std::string label_of(const Sweep& sweep, const SweepRun& run) {
    std::string label;
    const auto add = [&label](const std::string& field, const std::string& value) {
        label += fmt::format("{}{}={}", label.empty() ? "" : ", ", field, value);
    };
    for (std::size_t i = 0; i < sweep.axes.size(); ++i) add(sweep.axes[i].field, run.settings[i]);
    if (sweep.most_repeats > 1 || label.empty()) add("repeat", std::to_string(run.repeat));
    return label;
}

}  // namespace

KeptSweep kept_sweep(const fs::path& folder) {
    KeptSweep kept{.sweep = load_sweep(folder / sweep_file), .entries = {}};
    kept.entries = entries_of(kept.sweep, folder);
    const auto damaged = std::ranges::find(kept.entries, RunState::damaged, &SweepEntry::state);
    if (damaged != kept.entries.end()) throw DataError(damaged->error);
    if (std::ranges::none_of(kept.entries, [](const auto& entry) { return entry.state == RunState::done; })) {
        throw DataError(fmt::format("{}: no run of it is done, or they are another version's than convoy {}",
                                    folder.string(), version()));
    }
    return kept;
}

std::vector<KeptRun> kept_runs(const fs::path& sweep_folder) {
    const auto kept = kept_sweep(sweep_folder);
    std::vector<KeptRun> runs;
    for (std::size_t i = 0; i < kept.entries.size(); ++i) {
        const auto& run = kept.sweep.runs[i];
        if (kept.entries[i].state == RunState::done)
            runs.push_back({label_of(kept.sweep, run), run_folder_of(sweep_folder, run)});
    }
    return runs;
}

KeptMedians kept_medians(const fs::path& sweep_folder) {
    const auto kept = kept_sweep(sweep_folder);
    return {.medians = medians_table(kept.sweep, kept.entries),
            .data = medians_data(kept.sweep, kept.entries),
            .measurement = trust_lines(kept.sweep, kept.entries)};
}

}  // namespace convoy
