#include "recover.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/console.hpp"
#include "base/error.hpp"
#include "checkpoint/checkpoint_folder.hpp"
#include "command_line.hpp"
#include "placing.hpp"
#include "report/overview.hpp"
#include "report/partial_folder.hpp"
#include "report/recovery.hpp"
#include "report/render.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;
namespace options = boost::program_options;

}  // namespace

int recover_command(std::span<const std::string> arguments) {
    options::options_description described("options");
    described.add_options()("out", options::value<std::string>(),
                            "the run's folder; OUT of OUT.partial without it");
    const auto given = parse_arguments("recover", arguments, described, {"folder"});
    if (print_help(given,
                   "convoy recover OUT.partial [options]: makes a run folder of what an ended run left",
                   described))
        return 0;
    auto partial = fs::path(given["folder"].as<std::vector<std::string>>().front());
    if (!partial.has_filename()) partial = partial.parent_path();
    if (!is_partial_run(partial) && is_partial_run(partial_beside(partial)))
        partial = partial_beside(partial);
    const auto out = path_given(given, "out");
    const auto own = run_folder_of_partial(partial);
    if (!out && !own)
        throw UsageError(fmt::format("{}: does not end in .partial; give --out", partial.string()));
    const auto target = out ? *out : *own;
    // With another --out, --resume would not find the journals.
    const bool continues = target == own && has_checkpoints(checkpoints_beside(target));
    const auto run =
        recover(partial, target, continues ? std::optional(journals_beside(target)) : std::nullopt);
    for (const auto& warning : run.warnings) say("warning: " + warning);
    if (run.results.status == "done") remove_checkpoints(checkpoints_beside(target));
    const auto width = terminal_width();
    print(render_all(overview(run.results), TableFormat::text, {.bars = width.has_value(), .width = width}) +
          fmt::format("\nwritten to {}{}\n", run.folder.string(),
                      continues && run.results.status != "done" ? "; `convoy run --resume` goes on" : ""));
    return 0;
}

}  // namespace convoy
