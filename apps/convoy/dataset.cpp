#include "dataset.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "data/dataset.hpp"
#include "data/fetch.hpp"
#include "data/folders.hpp"
#include "data/manifest.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

constexpr const char* usage =
    "usage: convoy dataset list [--data DIR]\n"
    "       convoy dataset verify NAME [--data DIR]\n"
    "       convoy dataset fetch NAME [--data DIR]\n";

struct Request {
    std::string action, name;
    fs::path data_folder;
    bool help = false;
};

Request parse(std::span<const std::string> arguments) {
    Request request;
    std::optional<fs::path> data;
    po::options_description options;
    auto add = options.add_options();
    add("help,h", po::bool_switch(&request.help));
    add("data", po::value<std::string>()->notifier([&](const std::string& folder) { data = folder; }));
    add("action", po::value(&request.action));
    add("name", po::value(&request.name));
    po::positional_options_description positions;
    positions.add("action", 1).add("name", 1);
    try {
        const std::vector<std::string> words(arguments.begin(), arguments.end());
        po::variables_map values;
        po::store(po::command_line_parser(words).options(options).positional(positions).run(), values);
        po::notify(values);
    } catch (const po::error& error) {
        throw UsageError(fmt::format("convoy dataset: {}; `convoy dataset --help` shows how", error.what()));
    }
    request.data_folder = find_data_folder(data);
    return request;
}

const char* word(FileState state) {
    switch (state) {
        case FileState::intact:
            return "intact";
        case FileState::missing:
            return "missing";
        case FileState::damaged:
            return "damaged";
        case FileState::unknown:
            return "unknown";
    }
    return "";
}

int list(const fs::path& data_folder) {
    fmt::print("{:<18}{:<12}{}\n", "name", "files", "what");
    for (const auto& info : known_datasets()) {
        if (info.generated) {
            fmt::print("{:<18}{:<12}drawn by convoy, {} + {} examples unless the spec says otherwise\n",
                       info.name, "none", info.train_examples, info.test_examples);
            continue;
        }
        const auto manifest = manifest_of(info.name);
        fmt::print("{:<18}{:<12}{}; {}\n", info.name,
                   fmt::format("{} of {}", files_present(manifest, data_folder), manifest.files.size()),
                   manifest.title, manifest.licence);
    }
    fmt::print("data folder: {}\n", data_folder.string());
    return 0;
}

int verify(const std::string& name, const fs::path& data_folder) {
    const auto checks = verify_dataset(manifest_of(name), data_folder);
    for (const auto& check : checks) {
        fmt::print("{:<9}{}  ({})\n", word(check.state), check.file.string(), check.detail);
    }
    std::fflush(stdout);
    require_intact(name, checks);
    return 0;
}

void show_progress(const FetchProgress& progress) {
    constexpr double mega = 1e6;
    const auto total =
        progress.total ? fmt::format(" of {:.1f}", static_cast<double>(*progress.total) / mega) : "";
    fmt::print(stderr, "\r{}  {:.1f}{} MB ", progress.file, static_cast<double>(progress.bytes) / mega,
               total);
}

int fetch(const std::string& name, const fs::path& data_folder) {
    const auto manifest = manifest_of(name);
    const bool on_terminal = ::isatty(STDERR_FILENO) == 1;
    FetchOptions options;
    if (on_terminal) options.progress = show_progress;
    fmt::print(stderr, "{}\nlicence: {}\n", manifest.title, manifest.licence);
    for (const auto& file : manifest.files) {
        const auto folder = data_folder / manifest.name;
        const auto outcome = fetch_file(file, folder, options);
        if (on_terminal) fmt::print(stderr, "\r\x1b[K");
        fmt::print("{:<14}{}\n", outcome == FetchOutcome::fetched ? "fetched" : "already there",
                   (folder / file.name).string());
    }
    return 0;
}

}  // namespace

int dataset_command(std::span<const std::string> arguments) {
    const auto request = parse(arguments);
    if (request.help) {
        fmt::print("{}", usage);
        return 0;
    }
    if (request.action == "list" && request.name.empty()) return list(request.data_folder);
    if (request.action == "verify" && !request.name.empty()) return verify(request.name, request.data_folder);
    if (request.action == "fetch" && !request.name.empty()) return fetch(request.name, request.data_folder);
    throw UsageError(
        "convoy dataset: list, verify NAME or fetch NAME is expected; `convoy dataset --help` shows how");
}

}  // namespace convoy
