#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "spec/dataset_spec.hpp"

namespace convoy {

/// The files from which the dataset of a spec is read, in the order of the dataset's description. Files that
/// do not exist are left out: a launcher may lack files that its nodes have. Empty if convoy draws the
/// examples. data_folder: has one folder for each dataset; relative paths of NPY files are in it.
std::vector<std::filesystem::path> data_files(const DatasetSpec& spec,
                                              const std::filesystem::path& data_folder);

/// The content of a file, by which two runs tell whether they had the same data.
struct DataFile {
    std::string file;  ///< its path below the data folder, or the whole path of a file elsewhere
    std::uint64_t bytes = 0;
    std::string sha256;
    bool operator==(const DataFile&) const = default;
};

/// Reads all data_files and hashes their bytes as they are on the disk, gzipped or not. Throws
/// MissingFileError or DataError if a file cannot be read.
std::vector<DataFile> data_digests(const DatasetSpec& spec, const std::filesystem::path& data_folder);

}  // namespace convoy
