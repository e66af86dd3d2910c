#include "paper.hpp"

#include <fmt/format.h>

#include "base/console.hpp"
#include "base/error.hpp"
#include "base/printable.hpp"
#include "command_line.hpp"
#include "paper/paper_folder.hpp"
#include "sweep/sweep_folder.hpp"

namespace convoy {

int paper_command(std::span<const std::string> arguments) {
    namespace options = boost::program_options;
    options::options_description described("options");
    described.add_options()("out", options::value<std::string>(), "the folder, which must not exist");
    const auto given = parse_arguments("paper", arguments, described, {"sweep"});
    if (print_help(
            given,
            "convoy paper SWEEP --out FOLDER: figures, tables, a methods paragraph and an archive of a "
            "sweep's folder",
            described))
        return 0;
    const auto folder = path_given(given, "out");
    if (!folder) throw UsageError("paper: no --out is given; see convoy paper --help");
    const std::filesystem::path sweep = given["sweep"].as<std::vector<std::string>>().front();
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
