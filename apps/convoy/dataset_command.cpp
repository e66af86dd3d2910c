#include "dataset_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "base/console.hpp"
#include "base/end_on_signal.hpp"
#include "base/error.hpp"
#include "base/printable.hpp"
#include "command_line.hpp"
#include "data/dataset.hpp"
#include "data/fetch.hpp"
#include "data/folders.hpp"
#include "data/manifest.hpp"
#include "voice.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;

const char* word(FileState state) {
    switch (state) {
        case FileState::intact: return "intact";
        case FileState::missing: return "missing";
        case FileState::damaged: return "damaged";
        case FileState::unknown: return "unknown";
    }
    return "";
}

int list(const fs::path& data_folder) {
    auto text = fmt::format("{:<18}{:<12}{}\n", "name", "files", "what");
    for (const auto& info : known_datasets()) {
        if (info.generated) {
            text +=
                fmt::format("{:<18}{:<12}drawn by convoy, {} + {} examples unless the spec says otherwise\n",
                            info.name, "none", info.train_examples, info.test_examples);
            continue;
        }
        const auto manifest = manifest_of(info.name);
        text +=
            fmt::format("{:<18}{:<12}{}; {}\n", info.name,
                        fmt::format("{} of {}", files_present(manifest, data_folder), manifest.files.size()),
                        printable(manifest.title), printable(manifest.licence));
    }
    text +=
        fmt::format("{:<18}{:<12}arrays in NumPy's format; the spec says which\n", npy_dataset, "your own");
    print(text + fmt::format("data folder: {}\n", printable(data_folder.string())));
    return 0;
}

int verify(const std::string& name, const fs::path& data_folder, const Voice& voice) {
    const auto manifest = manifest_of(name);
    voice.detail(
        fmt::format("compares {} files of {} in {}", manifest.files.size(), name, data_folder.string()));
    const auto checks = verify_dataset(manifest, data_folder);
    voice.detail("all files are compared");
    std::string text;
    for (const auto& check : checks)
        text += fmt::format("{:<9}{}  ({})\n", word(check.state), printable(check.file.string()),
                            printable(check.detail));
    if (!voice.is_quiet()) print(text);
    require_intact(name, checks);
    return 0;
}

void show_progress(const FetchProgress& progress) {
    constexpr double mega = 1e6;
    const auto total =
        progress.total ? fmt::format(" of {:.1f}", static_cast<double>(*progress.total) / mega) : "";
    draw_line(
        fmt::format("{}  {:.1f}{} MB ", progress.file, static_cast<double>(progress.bytes) / mega, total));
}

int fetch(const std::string& name, const fs::path& data_folder, const Voice& voice) {
    const auto manifest = manifest_of(name);
    const bool on_terminal = !voice.is_quiet() && ::isatty(STDERR_FILENO) == 1;
    FetchOptions options;
    if (on_terminal) options.progress = show_progress;
    if (!voice.is_quiet()) {
        say_plainly(manifest.title);
        say_plainly(fmt::format("licence: {}", manifest.licence));
    }
    for (const auto& file : manifest.files) {
        const auto folder = data_folder / manifest.name;
        const EndOnSignal ends(
            fmt::format("interrupted; what was fetched is kept ({}.part): run the command again to go on",
                        (folder / file.name).string()));
        voice.detail(
            fmt::format("{}: from {}, unless it is there", file.name, fmt::join(file.mirrors, ", ")));
        const auto outcome = fetch_file(file, folder, options);
        if (on_terminal) draw_line("");
        print(fmt::format("{:<14}{}\n", outcome == FetchOutcome::fetched ? "fetched" : "already there",
                          printable((folder / file.name).string())));
    }
    return 0;
}

}  // namespace

std::vector<std::string> dataset_names() {
    std::vector<std::string> names;
    for (const auto& info : known_datasets()) names.push_back(info.name);
    return names;
}

CommandForm dataset_form() {
    auto described = option_group();
    add_data_option(described);
    add_voice_options(described);
    return {
        .name = "dataset",
        .arguments = {{.name = "action", .shown = "list|verify|fetch", .values = {"list", "verify", "fetch"}},
                      {.name = "name",
                       .shown = "NAME",
                       .values = dataset_names(),
                       .count = Argument::Count::optional}},
        .summary = "lists, checks and downloads known datasets",
        .details = {"  list         lists the known datasets",
                    "  verify NAME  compares a dataset's files with its manifest",
                    "  fetch NAME   downloads what is missing"},
        .options = described};
}

int dataset_command(std::span<const std::string> arguments) {
    const auto form = dataset_form();
    const auto given = parse_arguments(form, arguments);
    if (print_help(given, form)) return 0;
    const auto voice = voice_given(given);
    const auto folder = find_data_folder(path_given(given, "data"));
    const auto action = argument_given(given, "action");
    const bool named = given.contains("name");
    if (action == "list" && !named) return list(folder);
    if (action == "verify" && named) return verify(argument_given(given, "name"), folder, voice);
    if (action == "fetch" && named) return fetch(argument_given(given, "name"), folder, voice);
    throw UsageError(
        "convoy dataset: list, verify NAME or fetch NAME is expected; see convoy dataset --help");
}

}  // namespace convoy
