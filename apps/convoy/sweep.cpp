#include "sweep.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/console.hpp"
#include "base/end_on_signal.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json_text.hpp"
#include "base/make_folder.hpp"
#include "base/printable.hpp"
#include "command_line.hpp"
#include "data/folders.hpp"
#include "error_json.hpp"
#include "report/render.hpp"
#include "spec/parse.hpp"
#include "sweep/sweep_folder.hpp"
#include "sweep/sweep_spec.hpp"
#include "sweep/sweep_tables.hpp"
#include "sweep_json.hpp"
#include "sweep_runner.hpp"
#include "voice.hpp"
#include "world_node.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;
namespace options = boost::program_options;

options::options_description sweep_options_described() {
    auto described = option_group();
    add_set_option(described, "the base spec");
    described.add_options()(
        "out", options::value<std::vector<std::string>>()->composing()->value_name("DIR"),
        "the sweep's folder; results/NAME-SWEEPID without it; repeat it for several sweeps");
    add_data_option(described);
    described.add_options()                                                                          //
        ("resume", "continue a sweep that was ended; finished runs are kept")                        //
        ("accept-changes", "with --resume: go on although convoy's build or the data have changed")  //
        ("retry-failed", "resume, and run the failed runs again")                                    //
        ("list", "print the runs and how far they are, and run nothing")                             //
        ("specs", "write the spec of each run into specs/ of the sweep's folder, and run nothing")   //
        ("collect", "write the tables of the runs that are done, and run nothing")                   //
        ("json", "print one JSON object instead of tables");
    add_voice_options(described);
    return described;
}

constexpr const char* interrupted_line =
    "interrupted; finished runs are kept, and --resume continues the sweep";

/// The results of a sweep, for people.
std::string end_text(const Sweep& sweep, std::span<const SweepEntry> entries) {
    const TextStyle style{.bars = false, .width = terminal_width()};
    return to_text(medians_table(sweep, entries), style) + "\n" + trust_lines(sweep, entries);
}

/// The content that --json prints: of one sweep as it is, of several in a list.
template <typename Content>
nlohmann::json json_of(std::span<const SweepPlace> places, const Content& content_of) {
    auto sweeps = nlohmann::json::array();
    for (const auto& [sweep, folder] : places)
        sweeps.push_back(content_of(sweep, entries_of(sweep, folder), folder));
    return sweeps.size() == 1 ? sweeps.front() : nlohmann::json{{"sweeps", std::move(sweeps)}};
}

/// Tells how sweeps ended, and returns the exit code.
int print_end(std::span<const SweepPlace> places, const Telling& telling, const SweepOutcome& outcome) {
    auto errors = outcome.failures;
    if (!outcome.finished) errors.insert(errors.begin(), InterruptedError(interrupted_line));
    const auto error = errors.empty() ? std::nullopt : std::optional(errors.front());
    for (std::size_t i = 1; i < errors.size(); ++i) say(errors[i].what());
    std::string written;
    for (const auto& place : places)
        written += fmt::format("{}written to {}", written.empty() ? "" : "\n", place.folder.string());
    if (telling.json) {
        auto content = json_of(places, sweep_end_json);
        if (error) return print_with_error(std::move(content), *error);
        print(json_text(content, 2) + "\n", written);
        return 0;
    }
    std::string text;
    for (const auto& [sweep, folder] : places) {
        if (!telling.voice.is_quiet()) text += end_text(sweep, entries_of(sweep, folder));
        text += printable(fmt::format("written to {}", folder.string())) + "\n";
    }
    print(text, written);
    if (error) say(error->what());
    return error ? static_cast<int>(error->code()) : 0;
}

/// The sweeps of a command line, with their folders.
std::vector<SweepPlace> places_given(const options::variables_map& given) {
    const auto folders = paths_given(given, "out");
    const auto files = given["sweep"].as<std::vector<std::string>>();
    if (!folders.empty() && folders.size() != files.size())
        throw UsageError(fmt::format("--out: found {}, expected one for each sweep ({}), or none",
                                     folders.size(), files.size()));
    const auto overrides = overrides_given(given);
    std::vector<SweepPlace> places;
    for (std::size_t i = 0; i < files.size(); ++i) {
        auto sweep = load_sweep(existing_experiment(files[i]), overrides);
        auto folder =
            folders.empty() ? fs::path("results") / fmt::format("{}-{}", sweep.name, sweep.id) : folders[i];
        for (const auto& other : places)
            if (fs::weakly_canonical(other.folder) == fs::weakly_canonical(folder))
                throw UsageError(
                    fmt::format("--out: two sweeps have the folder {}; give each its own", folder.string()));
        places.push_back({.sweep = std::move(sweep), .folder = std::move(folder)});
    }
    return places;
}

/// Prints the runs of sweeps and how far they are.
void print_list(std::span<const SweepPlace> places, bool json) {
    if (json) {
        print(json_text(json_of(places, sweep_list_json), 2) + "\n");
        return;
    }
    std::string text;
    for (const auto& [sweep, folder] : places) {
        if (places.size() > 1) text += printable(fmt::format("{}", folder.string())) + "\n";
        text +=
            to_text(plan_table(sweep, entries_of(sweep, folder)), {.bars = false, .width = terminal_width()});
    }
    print(text);
}

/// Writes the spec of each run under the name of its run folder, so that each can be run by a job of its own.
void write_specs(const SweepPlace& place, bool resume) {
    const auto& [sweep, path] = place;
    if (sweep.repeats_by_results())
        throw UsageError(
            "--specs: a sweep with `precision` or `undisturbed_repeats` decides after each repeat whether "
            "another follows; leave them out");
    if (!resume) require_no_sweep(path);
    const SweepFolder folder(path, sweep, resume);
    make_folder(path / "specs");
    for (const auto& run : sweep.runs)
        write_whole(path / "specs" / (folder.run_folder(run).filename().string() + ".json"),
                    json_text(to_json(run.spec), 2) + "\n");
    folder.write_tables();
    const auto written = fmt::format("{} specs written to {}", sweep.runs.size(), (path / "specs").string());
    print(printable(written) + "\n", written);
}

/// Writes the tables of sweeps whose runs are trained by other processes. Returns the exit code.
int collect(std::span<const SweepPlace> places, const Telling& telling) {
    for (const auto& [sweep, path] : places) {
        if (!is_present(path / sweep_file))
            throw MissingFileError(fmt::format("{}: is no sweep's folder", path.string()));
        const SweepFolder folder(path, sweep, true);
        folder.write_tables();
    }
    return print_end(places, telling, {});
}

/// Throws UsageError if several of the options are given that run nothing.
void require_one_of(const options::variables_map& given, std::initializer_list<const char*> names) {
    const char* first = nullptr;
    for (const auto* name : names) {
        if (!given.contains(name)) continue;
        if (first != nullptr) throw UsageError(fmt::format("--{} and --{}: give one of them", first, name));
        first = name;
    }
}

}  // namespace

CommandForm sweep_form() {
    return {.name = "sweep",
            .arguments = {{.name = "sweep", .shown = "SWEEP", .count = Argument::Count::many}},
            .summary = "runs every experiment of a grid; it can continue an ended sweep",
            .details = {"the repeats of several sweeps take turns, for `convoy compare`"},
            .options = sweep_options_described()};
}

int sweep_command(std::span<const std::string> arguments) {
    const auto form = sweep_form();
    const auto given = parse_arguments(form, arguments);
    if (print_help(given, form)) return 0;
    require_one_of(given, {"list", "specs", "collect"});
    const auto telling = telling_given(given);
    const auto& voice = telling.voice;
    const auto places = places_given(given);
    if (given.contains("list")) {
        print_list(places, telling.json);
        return 0;
    }
    if (given.contains("specs")) {
        for (const auto& place : places) write_specs(place, given.contains("resume"));
        return 0;
    }
    if (given.contains("collect")) return collect(places, telling);
    require_no_world();
    const SweepArguments wanted{.data_folder = find_data_folder(path_given(given, "data")),
                                .resume = given.contains("resume") || given.contains("retry-failed"),
                                .retry_failed = given.contains("retry-failed"),
                                .accepts_changes = given.contains("accept-changes"),
                                .voice = voice};
    if (wanted.accepts_changes && !wanted.resume)
        throw UsageError("--accept-changes: is for a sweep that --resume continues");
    const EndOnSignal ends(interrupted_line);
    return print_end(places, telling, run_sweeps(places, wanted));
}

}  // namespace convoy
