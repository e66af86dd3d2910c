#include "run_under_way.hpp"

#include <fmt/format.h>

#include "base/console.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/printable.hpp"
#include "command_line.hpp"
#include "report/partial_folder.hpp"
#include "report/run_folder.hpp"
#include "report/run_folder_format.hpp"

namespace convoy {

namespace fs = std::filesystem;

fs::path run_folder_given(const boost::program_options::variables_map& given) {
    auto name = argument_given(given, "run");
    while (name.size() > 1 && name.ends_with('/')) name.pop_back();
    return run_folder_of_partial(name).value_or(name);
}

void require_run(const fs::path& run_folder) {
    const auto partial = partial_beside(run_folder);
    if (has_marker(partial)) {
        read_partial_header(partial);
    } else if (!is_present(run_folder / summary_file)) {
        throw MissingFileError(
            fmt::format("{}: is no run, neither under way nor ended", run_folder.string()));
    }
}

bool is_under_way(const fs::path& partial) {
    return is_partial_run(partial) && is_held(partial);
}

int tell_end(const fs::path& run_folder) {
    const auto partial = partial_beside(run_folder);
    if (is_partial_run(partial)) {
        print(fmt::format(
            "the process of the run has ended; `convoy recover {0}` makes a run folder of what is "
            "in {0}\n",
            printable(partial.string())));
        return static_cast<int>(ExitCode::node_lost);
    }
    if (!is_present(run_folder / summary_file)) {
        print("the run has ended without results\n");
        return static_cast<int>(ExitCode::node_lost);
    }
    const auto status = read_run_folder(run_folder).status;
    print(fmt::format("{}: {}\n", printable(run_folder.string()), run_status_name(status)));
    return static_cast<int>(status == RunStatus::done ? ExitCode::done : ExitCode::interrupted);
}

}  // namespace convoy
