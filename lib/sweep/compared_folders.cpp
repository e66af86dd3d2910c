#include "sweep/compared_folders.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/open_to_read.hpp"
#include "report/run_folder_format.hpp"
#include "sweep/sweep_folder.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;

/// The times in UTC at which the runs of a sweep began, in order, of those that tell it.
std::vector<std::string> times_of(const fs::path& sweep) {
    std::vector<std::string> times;
    for (const auto& run : run_folders_in(sweep)) {
        try {
            times.push_back(json_in(run / environment_file).at("date_utc").get<std::string>());
        } catch (const Error&) {  // a damaged file costs the note only
        } catch (const nlohmann::json::exception&) {
        }
    }
    std::ranges::sort(times);
    return times;
}

/// Whether the last run of one of two sweeps began before the first one of the other. Unknown of sweeps with
/// one run each, which may have taken turns.
bool is_one_after_the_other(const fs::path& a, const fs::path& b) {
    const auto of_a = times_of(a);
    const auto of_b = times_of(b);
    if (of_a.empty() || of_b.empty() || of_a.size() + of_b.size() < 3) return false;
    return of_a.back() < of_b.front() || of_b.back() < of_a.front();
}

}  // namespace

SweepComparison compare_sweep_folders(const fs::path& a, const fs::path& b) {
    const auto file_a = a / runs_file;
    const auto file_b = b / runs_file;
    auto comparison =
        compare_sweeps(*open_stream(file_a), file_a.string(), *open_stream(file_b), file_b.string());
    if (is_one_after_the_other(a, b)) {
        comparison.notes.insert(
            comparison.notes.begin(),
            "one sweep ran after the other: a change of the machine between them looks like a difference; "
            "`convoy sweep A B` lets their repeats take turns");
    }
    return comparison;
}

DescribedRuns described_sweep(const fs::path& folder) {
    return {.spec = json_in(folder / sweep_file),
            .environment = json_in(any_run_folder(folder) / environment_file)};
}

}  // namespace convoy
