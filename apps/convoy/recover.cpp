#include "recover.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>

#include "base/console.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/printable.hpp"
#include "checkpoint/checkpoint_folder.hpp"
#include "command_line.hpp"
#include "earlier_run.hpp"
#include "placing.hpp"
#include "report/overview.hpp"
#include "report/partial_folder.hpp"
#include "report/recovery.hpp"
#include "report/render.hpp"
#include "report/run_folder_format.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;
namespace options = boost::program_options;

}  // namespace

CommandForm recover_form() {
    auto described = option_group();
    described.add_options()("out", options::value<std::string>()->value_name("DIR"),
                            "the run's folder; OUT of OUT.partial without it");
    return {.name = "recover",
            .arguments = {{.name = "folder", .shown = "OUT.partial"}},
            .summary = "makes a run folder of what an ended run left",
            .options = described};
}

int recover_command(std::span<const std::string> arguments) {
    const auto form = recover_form();
    const auto given = parse_arguments(form, arguments);
    if (print_help(given, form)) return 0;
    const auto partial = partial_meant(argument_given(given, "folder"));
    const auto out = path_given(given, "out");
    const auto own = run_folder_of_partial(partial);
    if (!out && !own)
        throw UsageError(fmt::format("{}: does not end in .partial; give --out", partial.string()));
    const auto target = out ? *out : *own;
    // Wherever the run folder goes, --resume looks for the journals beside the checkpoints.
    const bool has_some = own && has_checkpoints(checkpoints_beside(*own));
    std::error_code absent;
    const bool replaces = own && fs::equivalent(target, *own, absent) && is_earlier_part(target, partial);
    const auto run =
        recover(partial, target, has_some ? std::optional(journals_beside(*own)) : std::nullopt, replaces);
    for (const auto& warning : run.warnings) say("warning: " + warning);
    const bool done = run.results.status == RunStatus::done;
    if (!is_present(run.folder / weights_file))
        say(fmt::format("warning: {}: has no weights, since the run ended before its nodes had sent them",
                        run.folder.string()));
    if (has_some && done) remove_checkpoints(checkpoints_beside(*own));
    const auto goes_on =
        has_some && !done ? fmt::format("; `convoy run SPEC --out {} --resume` goes on", own->string()) : "";
    const auto width = terminal_width();
    const auto written = fmt::format("written to {}{}", run.folder.string(), goes_on);
    print(overview_text(run.results, {.bars = width.has_value(), .width = width}) +
              fmt::format("\n{}\n", printable(written)),
          written);
    return 0;
}

}  // namespace convoy
