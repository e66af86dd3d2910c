#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/digest.hpp"

namespace convoy {

/// One file in an archive.
struct ManifestMember {
    std::string name;  ///< name in the dataset's folder, if the archive was unpacked
    FileIdentity identity;
    bool operator==(const ManifestMember&) const = default;
};

/// One file of a dataset, as its publisher offers it.
struct ManifestFile {
    std::string name;  ///< in the dataset's folder
    FileIdentity identity;
    std::optional<FileIdentity> unpacked;  ///< identity of the file without .gz, if it was gunzipped
    /// The files in an archive, which may be there instead of the archive, each gzipped or not.
    std::vector<ManifestMember> members;
    std::vector<std::string> mirrors;  ///< whole addresses of this file (FETCHING.md), best first
    bool operator==(const ManifestFile&) const = default;
};

/// The description of a dataset and of its files: datasets/NAME.json, see datasets/README.md.
struct Manifest {
    std::string name, title, licence, citation, homepage;
    std::vector<ManifestFile> files;
    bool operator==(const Manifest&) const = default;
};

/// Reads and checks a manifest. Throws MissingFileError, or a DataError that names file and field.
Manifest read_manifest(const std::filesystem::path& file);

/// The manifest of a known dataset. Throws DataError if the name is not known, or if convoy draws the
/// dataset, so there is nothing to fetch or to verify.
Manifest manifest_of(const std::string& dataset);

enum class FileState : std::uint8_t { intact, missing, damaged, unknown };

/// The state of one file of a dataset.
struct FileCheck {
    std::filesystem::path file;  ///< the file that convoy would read
    FileState state = FileState::missing;
    std::string detail;  ///< the found value and the expected value
};

/// Compares the files of a dataset with its manifest, in the order of the manifest. If the gunzipped form of
/// a file exists, this form is checked, since convoy reads it. Its state is unknown if its hash was not
/// published.
std::vector<FileCheck> verify_dataset(const Manifest& manifest, const std::filesystem::path& data_folder);

/// The number of files of a dataset that exist, gunzipped or not. It does not check their content.
std::size_t files_present(const Manifest& manifest, const std::filesystem::path& data_folder);

/// Throws if a file of a dataset is not intact: DataError for a damaged file, MissingFileError for a missing
/// file. The error is one line with the problem and the remedy.
void require_intact(const std::string& dataset, std::span<const FileCheck> checks);

/// Compares one file with its expected identity.
FileCheck check_file(const std::filesystem::path& file, const FileIdentity& expected);

}  // namespace convoy
