#include "earlier_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json_text.hpp"
#include "base/version.hpp"
#include "checkpoint/checkpoint_folder.hpp"
#include "report/origin.hpp"
#include "report/partial_folder.hpp"
#include "report/run_folder.hpp"
#include "report/run_folder_format.hpp"
#include "spec/parse.hpp"
#include "spec/run_identity.hpp"

namespace convoy {
namespace fs = std::filesystem;

namespace {

/// The name for a partial run that is set aside. `convoy recover` makes a run folder of it, as of any other.
fs::path name_aside(const fs::path& partial, int number) {
    const auto run_folder = run_folder_of_partial(partial).value_or(partial);
    return partial_beside(
        fmt::format("{}.before{}", run_folder.string(), number == 1 ? "" : fmt::format("-{}", number)));
}

/// The number of a run folder's name, as run_folder_name gives it; absent if it gives no such name. first:
/// the name of number 1.
std::optional<int> number_of(std::string_view name, std::string_view first) {
    if (name == first) return 1;
    if (!name.starts_with(first) || name.substr(first.size(), 1) != "-") return std::nullopt;
    name.remove_prefix(first.size() + 1);
    int number = 0;
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
    const bool right =
        problem == std::errc{} && end == name.data() + name.size() && number > 1 && name.front() != '0';
    return right ? std::optional(number) : std::nullopt;
}

/// The numbers of the run folders that have something to go on with beside them.
std::set<int> numbers_to_resume(const fs::path& first) {
    std::set<int> numbers;
    std::error_code ignored;  // without the folder there is none
    const auto above = folder_above(first);
    for (const auto& path : paths_in(above, ignored)) {
        const auto stem = path.stem();  // of OUT.partial and OUT.checkpoints
        const auto number = number_of(stem.string(), first.filename().string());
        if (!number) continue;
        const auto folder = above / stem;
        if (path == partial_beside(folder) || (path == checkpoints_beside(folder) && has_checkpoints(path)))
            numbers.insert(*number);
    }
    return numbers;
}

}  // namespace

fs::path folder_to_resume(const fs::path& results, const std::string& name, const std::string& run_id) {
    const auto first = run_folder_name(results, name, run_id, 1);
    const auto all = numbers_to_resume(first);
    std::vector<std::string> ended;
    for (const int number : all) {
        const auto folder = run_folder_name(results, name, run_id, number);
        if (!is_held(partial_beside(folder))) ended.push_back(folder.string());
    }
    if (ended.size() > 1) {
        throw UsageError(fmt::format("several runs of this spec ended early: {}; give one of them as --out",
                                     fmt::join(ended, ", ")));
    }
    if (!ended.empty()) return ended.front();
    return all.empty() ? first : run_folder_name(results, name, run_id, *all.begin());
}

bool is_of_training(const fs::path& folder, const ExperimentSpec& spec) {
    try {
        return training_id(load_spec(folder / spec_file)) == training_id(spec);
    } catch (const Error&) {
        return false;
    }
}

std::vector<NodeFailure> failures_before(const fs::path& run_folder) {
    try {
        const auto partial = partial_beside(run_folder);
        return is_partial_run(partial) ? read_partial_header(partial).run.failures
                                       : read_run_folder(run_folder).failures;
    } catch (const Error&) {
        return {};
    }
}

bool is_earlier_part(const fs::path& run_folder, const fs::path& partial) {
    try {
        const auto before = read_run_folder(run_folder);
        if (before.status == RunStatus::done) return false;
        return before.run_id == read_partial_header(partial).run.run_id ||
               is_of_training(run_folder, load_spec(partial / spec_file));
    } catch (const Error&) {
        return false;
    }
}

void require_own_version(const fs::path& folder) {
    const auto environment = read_environment(folder);
    const nlohmann::json::json_pointer place("/versions/convoy");
    if (!environment || !environment->contains(place) || environment->at(place) == std::string(version()))
        return;
    throw UsageError(
        fmt::format("{}: was made by convoy {}, and this is convoy {}; a run is continued by its "
                    "own version, so choose another --out",
                    folder.string(), describe(environment->at(place)), version()));
}

std::string changes_text(const fs::path& folder, const std::vector<std::string>& differences) {
    return fmt::format("{}: things have changed since: {}", folder.string(), fmt::join(differences, "; "));
}

void require_same_origin(const fs::path& folder, RunDescription& description, bool accepted,
                         const Voice& voice) {
    description.continue_from(folder);
    const auto differences = description.differences_from(folder);
    if (differences.empty()) return;
    const auto line = changes_text(folder, differences);
    if (!accepted) throw UsageError(line + how_to_accept_changes);
    voice.warn(line);
    description.accept_change(line);
}

void require_as_found(const Destination& destination) {
    const auto& folder = destination.folder;
    if (!is_taken(folder)) return;
    if (!destination.replaces)
        throw UsageError(
            fmt::format("{}: was made by another process just now; choose another --out", folder.string()));
    if (read_run_folder(folder).status == RunStatus::done)
        throw UsageError(fmt::format("{}: was completed by another process just now", folder.string()));
}

void set_aside(const fs::path& partial, const Voice& voice) {
    if (!is_partial_run(partial)) return;
    PartialFolder folder(partial, PartialFolder::Open::existing);
    if (!folder.has_results() || read_partial_header(partial).state == PartialState::replaced) return;
    // Its weights will not come, so nothing needs the room that is kept for them.
    std::error_code ignored;
    fs::remove(partial / partial_records / partial_weights_room, ignored);
    int number = 1;
    while (!folder.publish(name_aside(partial, number))) ++number;
    voice.warn(
        fmt::format("{}: has no checkpoint to go on from, and is {} now; `convoy recover {}` makes a "
                    "run folder of it",
                    partial.string(), folder.path().string(), folder.path().string()));
}

}  // namespace convoy
