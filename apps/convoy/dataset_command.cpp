#include "dataset_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/console.hpp"
#include "base/error.hpp"
#include "base/json_text.hpp"
#include "base/path_text.hpp"
#include "base/printable.hpp"
#include "command_line.hpp"
#include "data/byte_source.hpp"
#include "data/dataset.hpp"
#include "data/fetched_data.hpp"
#include "data/folders.hpp"
#include "data/manifest.hpp"
#include "dataset_fetching.hpp"
#include "dataset_writing.hpp"
#include "error_json.hpp"
#include "voice.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;
namespace options = boost::program_options;

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
        fmt::format("{:<18}{:<12}arrays in NumPy's format; the spec says which\n", npy_dataset, "your own") +
        fmt::format("{:<18}{:<12}arrays in HDF5 files; the spec says which\n", hdf5_dataset, "your own");
    print(text + fmt::format("data folder: {}\n", printable(data_folder.string())));
    return 0;
}

nlohmann::json list_json(const fs::path& data_folder) {
    auto datasets = nlohmann::json::array();
    for (const auto& info : known_datasets()) {
        nlohmann::json about{{"name", info.name},
                             {"generated", info.generated},
                             {"train_examples", info.train_examples},
                             {"test_examples", info.test_examples}};
        if (!info.generated) {
            const auto manifest = manifest_of(info.name);
            about["files"] = manifest.files.size();
            about["files_present"] = files_present(manifest, data_folder);
            about["title"] = manifest.title;
            about["licence"] = manifest.licence;
        }
        datasets.push_back(std::move(about));
    }
    return {{"data_folder", text_of_path(data_folder)}, {"datasets", std::move(datasets)}};
}

/// Prints the files of a dataset and their states as JSON; if one is not intact, with the error in it.
/// Returns the exit code.
int print_checks(const std::string& name, const std::vector<FileCheck>& checks) {
    auto files = nlohmann::json::array();
    for (const auto& check : checks)
        files.push_back({{"file", text_of_path(check.file)},
                         {"state", word(check.state)},
                         {"detail", text_of_path(check.detail)}});
    nlohmann::json content{{"name", name}, {"files", std::move(files)}};
    try {
        require_intact(name, checks);
    } catch (const Error& error) {
        return print_with_error(std::move(content), error);
    }
    print(json_text(content, 2) + "\n");
    return 0;
}

int verify(const std::string& name, const fs::path& data_folder, const Telling& telling) {
    const auto& voice = telling.voice;
    const auto manifest = manifest_of(name);
    voice.detail(
        fmt::format("compares {} files of {} in {}", manifest.files.size(), name, data_folder.string()));
    const auto checks = verify_dataset(manifest, data_folder);
    voice.detail("all files are compared");
    if (telling.json) return print_checks(name, checks);
    std::string text;
    for (const auto& check : checks)
        text += fmt::format("{:<9}{}  ({})\n", word(check.state), printable(check.file.string()),
                            printable(check.detail));
    if (!voice.is_quiet()) print(text);
    require_intact(name, checks);
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
    add_set_option(described, "the spec of write or fetch");
    described.add_options()  //
        ("out", options::value<std::string>()->value_name("DIR"),
         "where write puts arrays; arrays of their names are replaced")  //
        ("format", options::value<std::string>()->default_value("npy")->value_name("npy|hdf5"),
         "of write: NPY files, or one HDF5 file, data.h5")  //
        ("chunk", options::value<int>()->value_name("N"),
         "of HDF5: the examples of a chunk, 32 without it")  //
        ("deflate", options::value<int>()->value_name("0...9"),
         "of HDF5: how much is compressed, 4 without it; 0: not at all")  //
        ("json", "print one JSON object");
    add_voice_options(described);
    return {.name = "dataset",
            .arguments = {{.name = "action",
                           .shown = "list|verify|fetch|write",
                           .values = {"list", "verify", "fetch", "write"}},
                          {.name = "name",
                           .shown = "NAME|SPEC|ADDRESS",
                           .values = dataset_names(),
                           .count = Argument::Count::optional}},
            .summary = "lists, checks and downloads known datasets, and writes a spec's dataset as arrays",
            .details =
                {"  list         lists the known datasets",
                 "  verify NAME  compares a dataset's files with its manifest",
                 "  fetch NAME   downloads what is missing; fetch SPEC the files that it has from addresses;",
                 "               fetch ADDRESS one file, and prints the address with its hash, for a spec",
                 "  write SPEC   writes values and labels of a spec's dataset as arrays into --out DIR"},
            .options = described};
}

int dataset_command(std::span<const std::string> arguments) {
    const auto form = dataset_form();
    const auto given = parse_arguments(form, arguments);
    if (print_help(given, form)) return 0;
    const auto telling = telling_given(given);
    const auto folder = find_data_folder(path_given(given, "data"));
    const auto action = argument_given(given, "action");
    const bool named = given.contains("name");
    if (action == "list" && !named) {
        if (!telling.json) return list(folder);
        print(json_text(list_json(folder), 2) + "\n");
        return 0;
    }
    if (action == "verify" && named) return verify(argument_given(given, "name"), folder, telling);
    if (action == "fetch" && named) {
        const auto name = argument_given(given, "name");
        if (is_address(name)) return fetch_address(name, folder, telling);
        const auto names = dataset_names();
        const bool is_known = is_of_arrays(name) || std::ranges::find(names, name) != names.end();
        const auto spec = find_experiment(name);
        if (!is_known && is_there(spec)) return fetch_of_spec(spec, overrides_given(given), folder, telling);
        return fetch_known(name, folder, telling);
    }
    const auto out = path_given(given, "out");
    if (action == "write" && named && out)
        return write_dataset(argument_given(given, "name"), writing_given(given, *out),
                             overrides_given(given), folder, telling);
    throw UsageError(
        "convoy dataset: list, verify NAME, fetch NAME|SPEC|ADDRESS or write SPEC --out DIR is expected; see "
        "convoy "
        "dataset "
        "--help");
}

}  // namespace convoy
