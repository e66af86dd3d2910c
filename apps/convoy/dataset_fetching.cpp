#include "dataset_fetching.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "base/console.hpp"
#include "base/end_on_signal.hpp"
#include "base/json_text.hpp"
#include "base/path_text.hpp"
#include "base/printable.hpp"
#include "data/byte_source.hpp"
#include "data/fetched_data.hpp"
#include "data/folders.hpp"
#include "data/manifest.hpp"
#include "fetching.hpp"
#include "spec/parse.hpp"

namespace convoy {

namespace fs = std::filesystem;

namespace {

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

}  // namespace

int fetch_known(const std::string& name, const fs::path& data_folder, const Telling& telling) {
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

int fetch_of_spec(const fs::path& file, std::span<const std::string> overrides, const fs::path& data_folder,
                  const Telling& telling) {
    const auto spec = load_spec(file, overrides);
    FetchedList list;
    for (const auto& wanted : fetched_files(spec.dataset, data_folder))
        list.add(wanted.folder / wanted.file.name, get(wanted.file, wanted.folder, telling.voice),
                 telling.json);
    if (telling.json) list.print_json(spec.dataset.name);
    return 0;
}

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

}  // namespace convoy
