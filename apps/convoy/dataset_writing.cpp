#include "dataset_writing.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/console.hpp"
#include "base/error.hpp"
#include "base/json_text.hpp"
#include "base/make_folder.hpp"
#include "base/path_text.hpp"
#include "base/printable.hpp"
#include "command_line.hpp"
#include "data/dataset.hpp"
#include "data/folders.hpp"
#include "data/npy_writer.hpp"
#include "fetching.hpp"
#include "spec/parse.hpp"

namespace convoy {

namespace fs = std::filesystem;
namespace options = boost::program_options;

namespace {

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

}  // namespace

Writing writing_given(const options::variables_map& given, fs::path out) {
    const auto& format = given["format"].as<std::string>();
    if (format != "npy" && format != "hdf5") refuse_word("--format", format, "npy or hdf5");
    const Hdf5Storage usual;
    const Hdf5Storage hdf5{
        .chunk_examples = number_of_hdf5(given, "chunk", 1, 1 << 20).value_or(usual.chunk_examples),
        .deflate = number_of_hdf5(given, "deflate", 0, 9).value_or(usual.deflate)};
    return {.out = std::move(out), .hdf5 = format == "hdf5" ? std::optional(hdf5) : std::nullopt};
}

int write_dataset(const fs::path& file, const Writing& to, std::span<const std::string> overrides,
                  const fs::path& data_folder, const Telling& telling) {
    const auto spec = load_spec(existing_experiment(file), overrides);
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

}  // namespace convoy
