#include "data/fetched_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/error.hpp"
#include "base/name_rule.hpp"
#include "data/folders.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;

/// The result of call(), whose errors name the field.
template <typename Call>
auto naming_field(const std::string& field, const Call& call) {
    const auto named = [&field](const Error& error) {
        return fmt::format("$.dataset.{}: {}", field, error.what());
    };
    try {
        return call();
    } catch (const DataError& error) {
        throw DataError(named(error));
    } catch (const MissingFileError& error) {
        throw MissingFileError(named(error));
    }
}

/// Calls visit(file, field) for each file of NPY files; the field without the dataset.
void visit_files(NpySpec& npy, const std::function<void(std::string&, const std::string&)>& visit) {
    const auto visit_list = [&](std::vector<std::string>& files, const std::string& field) {
        for (std::size_t i = 0; i < files.size(); ++i)
            visit(files[i], files.size() > 1 ? fmt::format("{}[{}]", field, i) : field);
    };
    const bool named = npy.named();
    for (auto& input : npy.inputs) {
        const auto field = fmt::format("inputs.{}", input.name);
        visit_list(input.files, named ? field + ".files" : "images");
        if (input.test_files) visit_list(*input.test_files, named ? field + ".test_files" : "test_images");
    }
    visit_list(npy.labels, "labels");
    if (npy.test_labels) visit_list(*npy.test_labels, "test_labels");
}

/// The file of an address in a spec, which must have a hash.
FetchedFile file_of(const std::string& text, const std::string& field, const fs::path& cache) {
    return naming_field(field, [&]() -> FetchedFile {
        const DataAddress address(text);
        if (!address.identity())
            throw DataError(
                fmt::format("{}: has no hash, by which all nodes know that they have the same bytes; `convoy "
                            "dataset fetch ADDRESS` fetches it and prints it with #sha256=HEX behind it",
                            address.shown()));
        const auto& identity = *address.identity();
        return {.field = field,
                .file = {.name = name_in_cache(address, identity),
                         .identity = identity,
                         .unpacked = {},
                         .members = {},
                         .mirrors = {address.text()}},
                .folder = cache / fetched_folder};
    });
}

/// The files of a known dataset, from the folder that the spec names.
std::vector<FetchedFile> files_from_source(const DatasetSpec& spec, const fs::path& data_folder) {
    return naming_field("source", [&] {
        const DataAddress folder(*spec.source);
        if (folder.identity())
            throw DataError("has a hash behind it; those of the files are in the manifest");
        std::vector<FetchedFile> files;
        for (auto& file : manifest_of(spec.name).files) {
            file.mirrors = {folder.file(file.name).text()};
            files.push_back(
                {.field = "source", .file = std::move(file), .folder = folder_of_known(spec, data_folder)});
        }
        return files;
    });
}

}  // namespace

std::string name_in_cache(const DataAddress& address, const FileIdentity& identity) {
    constexpr std::size_t digits = 16, longest = 64;
    auto name = address.file_name();
    if (name.size() > longest) name = name.substr(name.size() - longest);
    const auto is_plain = [](char c) { return file_names.allows(fmt::format("a{}", c)); };
    std::ranges::replace_if(name, std::not_fn(is_plain), '_');
    return fmt::format("{}-{}", identity.digest.hex.substr(0, digits), name);
}

fs::path folder_of_known(const DatasetSpec& spec, const fs::path& data_folder) {
    return (spec.source ? cache_folder(data_folder) : data_folder) / spec.name;
}

std::vector<FetchedFile> fetched_files(const DatasetSpec& spec, const fs::path& data_folder) {
    if (spec.source) return files_from_source(spec, data_folder);
    if (!spec.npy || !spec.has_addresses()) return {};
    std::vector<FetchedFile> files;
    auto npy = *spec.npy;
    visit_files(npy, [&](const std::string& file, const std::string& field) {
        if (is_address(file)) files.push_back(file_of(file, field, cache_folder(data_folder)));
    });
    return files;
}

FetchTotals fetch_dataset(const DatasetSpec& spec, const fs::path& data_folder, const FetchOptions& options) {
    const auto began = Clock::now();
    FetchTotals totals;
    for (const auto& wanted : fetched_files(spec, data_folder)) {
        const auto outcome =
            naming_field(wanted.field, [&] { return fetch_file(wanted.file, wanted.folder, options); });
        if (outcome == FetchOutcome::already_there) continue;
        ++totals.files;
        totals.bytes += fs::file_size(wanted.folder / wanted.file.name);
    }
    totals.seconds = Seconds(Clock::now() - began).count();
    return totals;
}

DatasetSpec with_fetched_paths(DatasetSpec spec, const fs::path& data_folder) {
    if (!spec.npy || !spec.has_addresses()) return spec;
    const auto cache = fs::absolute(cache_folder(data_folder));
    visit_files(*spec.npy, [&](std::string& file, const std::string& field) {
        if (!is_address(file)) return;
        const auto fetched = file_of(file, field, cache);
        file = (fetched.folder / fetched.file.name).string();
    });
    return spec;
}

}  // namespace convoy
