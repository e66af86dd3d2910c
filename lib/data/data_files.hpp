#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "spec/dataset_spec.hpp"

namespace convoy {

/// The files from which the dataset of a spec is read, in the order of the dataset's description. Files that
/// do not exist are left out: a launcher may lack files that its nodes have. Empty if convoy draws the
/// examples without any file. data_folder: has one folder for each dataset; relative paths of NPY files are
/// in it.
std::vector<std::filesystem::path> data_files(const DatasetSpec& spec,
                                              const std::filesystem::path& data_folder);

/// The content of a file, by which two runs tell whether they had the same data.
struct DataFile {
    std::string file;  ///< its path below the data folder or the cache, or the whole path of a file elsewhere
    std::uint64_t bytes = 0;
    std::string sha256;
    bool operator==(const DataFile&) const = default;
};

/// Hashes the files of data, each once for as long as it stays as it is: the runs of a sweep have the same
/// files.
class DataDigests {
  public:
    /// Hashes the bytes of all data_files as they are on the disk, gzipped or not. Throws MissingFileError or
    /// DataError if a file cannot be read.
    std::vector<DataFile> of(const DatasetSpec& spec, const std::filesystem::path& data_folder);

  private:
    /// By which a file is known again: when it was written, and how large it is.
    struct Version {
        std::uint64_t device = 0, inode = 0, bytes = 0;  ///< no file has inode 0
        std::int64_t changed_ns = 0;
        bool operator==(const Version&) const = default;
    };
    struct Digest {
        Version version;
        std::string sha256;
    };
    static Version version_of(const std::filesystem::path& file);

    std::map<std::filesystem::path, Digest> known_;
};

}  // namespace convoy
