#include "reproduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/console.hpp"
#include "base/end_on_signal.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json_text.hpp"
#include "base/make_folder.hpp"
#include "base/printable.hpp"
#include "command_line.hpp"
#include "data/folders.hpp"
#include "paper/archive.hpp"
#include "paper/archive_format.hpp"
#include "paper/reproduction.hpp"
#include "paper/settled_sweep.hpp"
#include "report/render.hpp"
#include "sweep/sweep_folder.hpp"
#include "sweep/sweep_spec.hpp"
#include "sweep_runner.hpp"
#include "world_node.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;
namespace options = boost::program_options;

constexpr auto how_to_go_on = "interrupted; finished runs are kept, and --resume goes on";

options::options_description reproduce_options_described() {
    auto described = option_group();
    add_set_option(described, "the base spec, such as a path of own data");
    described.add_options()("out", options::value<std::string>()->value_name("DIR"),
                            "the folder for what was published and the runs; "
                            "results/reproduced-NAME-SWEEPID without it");
    add_data_option(described);
    described.add_options()                                                                      //
        ("resume", "go on in a folder whose reproduction was ended; failed runs are run again")  //
        ("json", "print the result as JSON");
    return described;
}

/// The files of an archive, each whole, in a folder: that of a sweep, without weights and records.
void unpack_into(const ArchiveFiles& files, const fs::path& folder) {
    const auto index = folder / archive_index_file;
    if (is_present(index) &&
        read_file_text(index, most_archived_file_bytes) != files.find(archive_index_file)->second)
        throw UsageError(fmt::format("{}: is of another archive; choose another --out", folder.string()));
    for (const auto& [path, content] : files) {
        const auto target = folder / path;
        make_folder(target.parent_path());
        write_whole(target, content);
    }
}

std::vector<std::string> fields_of(const Sweep& sweep) {
    std::vector<std::string> fields;
    for (const auto& axis : sweep.axes) fields.push_back(axis.field);
    return fields;
}

std::string result_text(const Reproduction& reproduction, bool json) {
    if (!json) return to_text(reproduction.table, {.bars = false, .width = terminal_width()});
    auto result = nlohmann::json::parse(to_json_text(reproduction.table));
    result["same"] = reproduction.same;
    return json_text(result, 2) + "\n";
}

}  // namespace

CommandForm reproduce_form() {
    return {.name = "reproduce",
            .arguments = {{.name = "archive", .shown = "ARCHIVE"}},
            .summary = "runs an archive's sweep again, and says for each setting whether it is the same",
            .options = reproduce_options_described()};
}

int reproduce_command(std::span<const std::string> arguments) {
    const auto form = reproduce_form();
    const auto given = parse_arguments(form, arguments);
    if (print_help(given, form)) return 0;
    require_no_world();
    const fs::path file = argument_given(given, "archive");
    const auto files = unpack_archive(read_bytes(file, most_archive_bytes), file.string());
    const auto published = published_sweep(files, file.string());
    const auto out =
        path_given(given, "out")
            .value_or(fs::path("results") / fmt::format("reproduced-{}-{}", published.name, published.id));
    if (!given.contains("resume") && is_taken(out))
        throw UsageError(fmt::format("{}: exists already; --resume goes on in it", out.string()));
    unpack_into(files, out / "published");
    const auto sweep = load_sweep(out / "published" / sweep_file, overrides_given(given));
    if (sweep.name != published.name || fields_of(sweep) != published.fields ||
        sweep.repeats != published.repeats)
        throw DataError(fmt::format("{}: its {} describes another sweep than its {}", file.string(),
                                    archive_index_file, sweep_file));
    const EndOnSignal ends(how_to_go_on);
    const SweepPlace place{.sweep = sweep, .folder = out / "sweep"};
    const auto outcome = run_sweeps({&place, 1}, {.data_folder = find_data_folder(path_given(given, "data")),
                                                  .resume = given.contains("resume"),
                                                  .retry_failed = given.contains("resume"),
                                                  .accepts_changes = false,
                                                  .voice = Voice()});
    if (!outcome.finished) throw InterruptedError(how_to_go_on);
    const auto entries = entries_of(sweep, out / "sweep");
    if (std::ranges::none_of(entries, [](const auto& entry) { return entry.state == RunState::done; })) {
        throw Error(outcome.failures.empty() ? ExitCode::missing : outcome.failures.front().code(),
                    fmt::format("no run succeeded, see {}", (out / "sweep" / "failed").string()));
    }
    const auto reproduction = reproduction_of(published, settled_sweep(out / "sweep"));
    const bool json = given.contains("json");
    const auto written = fmt::format("written to {}", out.string());
    print(result_text(reproduction, json) + (json ? "" : fmt::format("\n{}\n", printable(written))), written);
    if (!outcome.failures.empty()) {
        say(outcome.failures.front().what());
        return static_cast<int>(outcome.failures.front().code());
    }
    return static_cast<int>(reproduction.same ? ExitCode::done : ExitCode::disagreement);
}

}  // namespace convoy
