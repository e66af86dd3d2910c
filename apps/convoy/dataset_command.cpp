#include "dataset_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/console.hpp"
#include "base/end_on_signal.hpp"
#include "base/error.hpp"
#include "base/json_text.hpp"
#include "base/make_folder.hpp"
#include "base/path_text.hpp"
#include "base/printable.hpp"
#include "command_line.hpp"
#include "data/byte_source.hpp"
#include "data/dataset.hpp"
#include "data/fetched_data.hpp"
#include "data/folders.hpp"
#include "data/hdf5_writer.hpp"
#include "data/manifest.hpp"
#include "data/npy_writer.hpp"
#include "error_json.hpp"
#include "fetching.hpp"
#include "spec/parse.hpp"
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

/// The outcome of each file that fetch was to get.
class FetchedList {
  public:
    void add(const fs::path& file, FetchOutcome outcome, bool json) {
        const auto* const how = outcome == FetchOutcome::fetched ? "fetched" : "already there";
        if (json) {
            files_.push_back({{"file", text_of_path(file)}, {"outcome", how}});
        } else {
            print(fmt::format("{:<14}{}\n", how, printable(file.string())));
        }
    }
    void print_json(const std::string& name) const {
        print(json_text({{"name", name}, {"files", files_}}, 2) + "\n");
    }

  private:
    nlohmann::json files_ = nlohmann::json::array();
};

/// Gets one file. A signal ends the process meanwhile.
FetchOutcome get(const ManifestFile& file, const fs::path& folder, const Voice& voice) {
    const EndOnSignal ends(
        fmt::format("interrupted; what was fetched is kept ({}.part): run the command again to go on",
                    (folder / file.name).string()));
    std::vector<std::string> places;
    for (const auto& mirror : file.mirrors) places.push_back(DataAddress(mirror).shown());
    voice.detail(fmt::format("{}: from {}, unless it is there", file.name, fmt::join(places, ", ")));
    const auto options = fetch_options(voice);
    const auto outcome = fetch_file(file, folder, options);
    if (options.progress) draw_line("");
    return outcome;
}

int fetch(const std::string& name, const fs::path& data_folder, const Telling& telling) {
    const auto manifest = manifest_of(name);
    if (!telling.voice.is_quiet()) {
        say_plainly(manifest.title);
        say_plainly(fmt::format("licence: {}", manifest.licence));
    }
    FetchedList list;
    const auto folder = data_folder / manifest.name;
    for (const auto& file : manifest.files)
        list.add(folder / file.name, get(file, folder, telling.voice), telling.json);
    if (telling.json) list.print_json(name);
    return 0;
}

/// Gets the files that a spec has from addresses.
int fetch_of_spec(const fs::path& file, const std::vector<std::string>& overrides,
                  const fs::path& data_folder, const Telling& telling) {
    const auto spec = load_spec(file, overrides);
    FetchedList list;
    for (const auto& wanted : fetched_files(spec.dataset, data_folder))
        list.add(wanted.folder / wanted.file.name, get(wanted.file, wanted.folder, telling.voice),
                 telling.json);
    if (telling.json) list.print_json(spec.dataset.name);
    return 0;
}

/// Gets the file of an address into the cache, and prints the address with its hash.
int fetch_address(const std::string& text, const fs::path& data_folder, const Telling& telling) {
    const DataAddress address(text);
    const auto folder = cache_folder(data_folder) / fetched_folder;
    auto identity = address.identity();
    const EndOnSignal ends;
    const auto options = fetch_options(telling.voice);
    if (identity) {
        const auto name = name_in_cache(address, *identity);
        fetch_file(
            {.name = name, .identity = *identity, .unpacked = {}, .members = {}, .mirrors = {address.text()}},
            folder, options);
    } else {
        const auto unnamed = folder / fmt::format("{}.new", ::getpid());
        identity = fetch_unknown(address, unnamed, options);
        fs::rename(unnamed, folder / name_in_cache(address, *identity));
    }
    if (options.progress) draw_line("");
    const auto file = folder / name_in_cache(address, *identity);
    const auto with_hash =
        fmt::format("{}#sha256={}&bytes={}", address.text(), identity->digest.hex, fs::file_size(file));
    if (telling.json) {
        print(json_text({{"address", with_hash}, {"file", text_of_path(file)}}, 2) + "\n");
    } else {
        print(with_hash + "\n");
    }
    return 0;
}

/// Where and how arrays are written.
struct Writing {
    fs::path out;
    std::optional<Hdf5Storage> hdf5 = {};  ///< absent: NPY files
};

/// The value of an option of HDF5 files; absent if it was not given. Throws UsageError.
std::optional<int> number_of_hdf5(const options::variables_map& given, const char* name, int least,
                                  int most) {
    if (!given.contains(name)) return std::nullopt;
    const auto number = given[name].as<int>();
    if (given["format"].as<std::string>() != "hdf5")
        throw UsageError(fmt::format("--{}: is for --format hdf5", name));
    if (number < least || number > most)
        throw UsageError(fmt::format("--{}: found {}, expected {} to {}", name, number, least, most));
    return number;
}

Writing writing_given(const options::variables_map& given, fs::path out) {
    const auto& format = given["format"].as<std::string>();
    if (format != "npy" && format != "hdf5") refuse_word("--format", format, "npy or hdf5");
    const Hdf5Storage usual;
    const Hdf5Storage hdf5{
        .chunk_examples = number_of_hdf5(given, "chunk", 1, 1 << 20).value_or(usual.chunk_examples),
        .deflate = number_of_hdf5(given, "deflate", 0, 9).value_or(usual.deflate)};
    return {.out = std::move(out), .hdf5 = format == "hdf5" ? std::optional(hdf5) : std::nullopt};
}

/// Calls write(split, its name) for each split that there is.
template <typename Write>
void for_each_split(const DataSplits& splits, const Voice& voice, const Write& write) {
    const auto write_one = [&](const Dataset& split, const char* name) {
        voice.detail(fmt::format("writes {} examples of {}", split.size(), name));
        write(split, name);
    };
    write_one(splits.train, "train");
    if (splits.validation) write_one(*splits.validation, "validation");
    write_one(splits.test, "test");
}

/// Writes the splits as arrays. Returns their places.
std::vector<std::string> write_splits(const DataSplits& splits, const Writing& to, const Voice& voice) {
    std::vector<std::string> written;
    make_folder(to.out);
    if (!to.hdf5) {
        for_each_split(splits, voice, [&](const Dataset& split, const char* name) {
            const auto names = write_arrays(split, to.out, name);
            for (const auto& file : names) written.push_back((to.out / file).string());
        });
        return written;
    }
    const auto file = to.out / "data.h5";
    Hdf5Writer writer(file, *to.hdf5);
    for_each_split(splits, voice, [&](const Dataset& split, const char* name) {
        const auto names = writer.add(split, name);
        for (const auto& array : names) written.push_back(fmt::format("{}:{}", file.string(), array));
    });
    writer.finish();
    return written;
}

/// Writes the splits of a spec's dataset as arrays.
int write(const fs::path& file, const Writing& to, const std::vector<std::string>& overrides,
          const fs::path& data_folder, const Telling& telling) {
    const auto spec = load_spec(find_experiment(file), overrides);
    fetch_for(spec.dataset, data_folder, telling.voice);
    // Datasets to download fit into memory, and may be gzipped. Others are read or drawn row by row.
    const bool in_memory =
        !spec.dataset.npy && !spec.dataset.spectra && !dataset_info(spec.dataset.name).generated;
    const auto splits = load_dataset(spec.dataset, data_folder, spec.seed, in_memory);
    const auto written = write_splits(splits, to, telling.voice);
    if (telling.json) {
        auto files = nlohmann::json::array();
        for (const auto& place : written) files.push_back(text_of_path(place));
        print(json_text({{"name", spec.dataset.name}, {"files", std::move(files)}}, 2) + "\n");
        return 0;
    }
    std::string text;
    for (const auto& place : written) text += fmt::format("written  {}\n", printable(place));
    if (!telling.voice.is_quiet()) print(text);
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
        return fetch(name, folder, telling);
    }
    const auto out = path_given(given, "out");
    if (action == "write" && named && out)
        return write(argument_given(given, "name"), writing_given(given, *out), overrides_given(given),
                     folder, telling);
    throw UsageError(
        "convoy dataset: list, verify NAME, fetch NAME|SPEC|ADDRESS or write SPEC --out DIR is expected; see "
        "convoy "
        "dataset "
        "--help");
}

}  // namespace convoy
