#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "data/fetch.hpp"
#include "spec/dataset_spec.hpp"

namespace convoy {

/// The folder in the cache with the NPY files from addresses, each under a name that has its hash.
inline constexpr auto fetched_folder = "fetched";

/// A file that a spec has from an address.
struct FetchedFile {
    std::string field;  ///< of the dataset in the spec, for errors
    ManifestFile file;  ///< its name in the cache, its hash and its address
    std::filesystem::path folder;
};

/// The files that a spec has from addresses, in the order of the spec. Empty if it has none. data_folder: see
/// cache_folder. Throws DataError, which names the field, if an address is not valid or has no hash.
std::vector<FetchedFile> fetched_files(const DatasetSpec& spec, const std::filesystem::path& data_folder);

/// What fetch_dataset did.
struct FetchTotals {
    std::int64_t files = 0;   ///< that came over the network
    std::uint64_t bytes = 0;  ///< of these files
    double seconds = 0.0;     ///< with the time to hash the files that were there
    bool operator==(const FetchTotals&) const = default;
};

/// Sees to it that the files which a spec has from addresses are in the cache, and intact. It asks no server
/// if they are. Throws as fetch_file and fetched_files; errors name the field.
FetchTotals fetch_dataset(const DatasetSpec& spec, const std::filesystem::path& data_folder,
                          const FetchOptions& options = {});

/// The spec with the paths in the cache in place of the addresses of NPY files. Throws as fetched_files.
DatasetSpec with_fetched_paths(DatasetSpec spec, const std::filesystem::path& data_folder);

/// The folder with the files of a known dataset: in the data folder, or in the cache if the spec has a
/// source.
std::filesystem::path folder_of_known(const DatasetSpec& spec, const std::filesystem::path& data_folder);

/// The name in the cache of the file of an address with this hash.
std::string name_in_cache(const DataAddress& address, const FileIdentity& identity);

}  // namespace convoy
