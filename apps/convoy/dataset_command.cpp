#include "dataset_command.hpp"

#include <fmt/format.h>
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

namespace convoy {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

constexpr const char* dataset_usage =
    "convoy dataset list            lists the known datasets\n"
    "convoy dataset verify NAME     compares a dataset's files with its manifest\n"
    "convoy dataset fetch NAME      downloads what is missing\n";

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

int verify(const std::string& name, const fs::path& data_folder) {
    const auto checks = verify_dataset(manifest_of(name), data_folder);
    std::string text;
    for (const auto& check : checks)
        text += fmt::format("{:<9}{}  ({})\n", word(check.state), printable(check.file.string()),
                            printable(check.detail));
    print(text);
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

int fetch(const std::string& name, const fs::path& data_folder) {
    const auto manifest = manifest_of(name);
    const bool on_terminal = ::isatty(STDERR_FILENO) == 1;
    FetchOptions options;
    if (on_terminal) options.progress = show_progress;
    say_plainly(manifest.title);
    say_plainly(fmt::format("licence: {}", manifest.licence));
    for (const auto& file : manifest.files) {
        const auto folder = data_folder / manifest.name;
        const EndOnSignal ends(
            fmt::format("interrupted; what was fetched is kept ({}.part): run the command again to go on",
                        (folder / file.name).string()));
        const auto outcome = fetch_file(file, folder, options);
        if (on_terminal) draw_line("");
        print(fmt::format("{:<14}{}\n", outcome == FetchOutcome::fetched ? "fetched" : "already there",
                          printable((folder / file.name).string())));
    }
    return 0;
}

}  // namespace

int dataset_command(std::span<const std::string> arguments) {
    po::options_description described("options");
    described.add_options()("data", po::value<std::string>(),
                            "folder of datasets; else $CONVOY_DATA, else datasets/cache");
    const auto given = parse_arguments("dataset", arguments, described, {"action"}, true);
    if (print_help(given, dataset_usage, described)) return 0;
    const auto folder = find_data_folder(path_given(given, "data"));
    const auto words = given["action"].as<std::vector<std::string>>();
    if (words.size() == 1 && words[0] == "list") return list(folder);
    if (words.size() == 2 && words[0] == "verify") return verify(words[1], folder);
    if (words.size() == 2 && words[0] == "fetch") return fetch(words[1], folder);
    throw UsageError(
        "convoy dataset: list, verify NAME or fetch NAME is expected; see convoy dataset --help");
}

}  // namespace convoy
