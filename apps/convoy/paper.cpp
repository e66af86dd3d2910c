#include "paper.hpp"

#include <fmt/format.h>

#include "base/console.hpp"
#include "base/error.hpp"
#include "base/printable.hpp"
#include "command_line.hpp"
#include "paper/paper_folder.hpp"
#include "sweep/sweep_folder.hpp"

namespace convoy {

CommandForm paper_form() {
    namespace options = boost::program_options;
    auto described = option_group();
    described.add_options()("out", options::value<std::string>()->value_name("DIR"),
                            "the folder, which must not exist");
    return {.name = "paper",
            .arguments = {{.name = "sweep", .shown = "SWEEP"}},
            .summary = "figures, tables, a methods paragraph and an archive of a sweep's folder",
            .options = described};
}

int paper_command(std::span<const std::string> arguments) {
    const auto form = paper_form();
    const auto given = parse_arguments(form, arguments);
    if (print_help(given, form)) return 0;
    const auto folder = path_given(given, "out");
    if (!folder) throw UsageError("paper: no --out is given; see convoy paper --help");
    const std::filesystem::path sweep = argument_given(given, "sweep");
    if (!is_sweep_folder(sweep))
        throw MissingFileError(
            fmt::format("{}: is no folder of a sweep; name one that `convoy sweep` wrote", sweep.string()));
    std::string written;
    for (const auto& path : write_paper(sweep, *folder, Gnuplot()))
        written += printable(path.string()) + "\n";
    print(written, fmt::format("written to {}", folder->string()));
    return 0;
}

}  // namespace convoy
