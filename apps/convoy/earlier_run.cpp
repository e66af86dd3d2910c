#include "earlier_run.hpp"

#include <fmt/format.h>

#include <system_error>

#include "base/console.hpp"
#include "base/error.hpp"
#include "report/partial_folder.hpp"
#include "report/run_folder.hpp"
#include "report/run_folder_format.hpp"
#include "spec/parse.hpp"

namespace convoy {
namespace fs = std::filesystem;

namespace {

/// The name for a partial run that is set aside. `convoy recover` makes a run folder of it, as of any other.
fs::path name_aside(const fs::path& partial, int number) {
    const auto run_folder = run_folder_of_partial(partial).value_or(partial);
    return partial_beside(
        fmt::format("{}.before{}", run_folder.string(), number == 1 ? "" : fmt::format("-{}", number)));
}

}  // namespace

bool is_of_training(const fs::path& folder, const ExperimentSpec& spec) {
    try {
        return training_id(load_spec(folder / spec_file)) == training_id(spec);
    } catch (const Error&) {
        return false;
    }
}

bool is_earlier_part(const fs::path& run_folder, const fs::path& partial) {
    try {
        const auto before = read_run_folder(run_folder);
        if (before.status == "done") return false;
        return before.run_id == read_partial_header(partial).run.run_id ||
               is_of_training(run_folder, load_spec(partial / spec_file));
    } catch (const Error&) {
        return false;
    }
}

void require_as_found(const Destination& destination) {
    const auto& folder = destination.folder;
    std::error_code ignored;
    if (!fs::exists(fs::symlink_status(folder, ignored))) return;
    if (!destination.replaces)
        throw UsageError(
            fmt::format("{}: was made by another process just now; choose another --out", folder.string()));
    if (read_run_folder(folder).status == "done")
        throw UsageError(fmt::format("{}: was completed by another process just now", folder.string()));
}

void set_aside(const fs::path& partial) {
    if (!is_partial_run(partial)) return;
    PartialFolder folder(partial, PartialFolder::Open::existing);
    if (!folder.has_results() || read_partial_header(partial).state == PartialState::replaced) return;
    // Its weights will not come, so nothing needs the room that is kept for them.
    std::error_code ignored;
    fs::remove(partial / partial_records / partial_weights_room, ignored);
    int number = 1;
    while (!folder.publish(name_aside(partial, number))) ++number;
    say(fmt::format(
        "warning: {}: has no checkpoint to go on from, and is {} now; `convoy recover {}` makes a "
        "run folder of it",
        partial.string(), folder.path().string(), folder.path().string()));
}

}  // namespace convoy
