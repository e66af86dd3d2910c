#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/digest.hpp"

namespace convoy {

/// A file's content: its hash, and its size where that is known.
struct FileIdentity {
    std::optional<std::uint64_t> bytes;
    Digest digest;
    bool operator==(const FileIdentity&) const = default;
};

/// One file out of an archive.
struct ManifestMember {
    std::string name;  ///< in the dataset's folder, where somebody unpacked the archive
    FileIdentity identity;
    bool operator==(const ManifestMember&) const = default;
};

/// One file of a dataset as its publisher offers it.
struct ManifestFile {
    std::string name;  ///< in the dataset's folder
    FileIdentity identity;
    std::optional<FileIdentity> unpacked;  ///< of the file without .gz, where somebody gunzipped it
    std::vector<ManifestMember>
        members;  ///< of an archive: they will do where it is not there, each gzipped or not
    std::vector<std::string> mirrors;  ///< whole http(s) addresses of this file, best first
    bool operator==(const ManifestFile&) const = default;
};

/// What a dataset is, whose it is, and how its files are told from damaged ones: datasets/NAME.json,
/// described in datasets/README.md.
struct Manifest {
    std::string name, title, licence, citation, homepage;
    std::vector<ManifestFile> files;
    bool operator==(const Manifest&) const = default;
};

/// Reads and checks a manifest. Throws MissingFileError, or DataError that names file and field.
Manifest read_manifest(const std::filesystem::path& file);

/// The manifest of a dataset that convoy can read. Throws DataError where there is none of that name, or
/// where it is one that convoy generates: there is nothing to fetch or to verify.
Manifest manifest_of(const std::string& dataset);

enum class FileState : std::uint8_t { intact, missing, damaged, unknown };

/// How one file of a dataset was found.
struct FileCheck {
    std::filesystem::path file;  ///< the one that convoy would read
    FileState state = FileState::missing;
    std::string detail;  ///< what was found, and what should have been
};

/// Compares a dataset's files with its manifest, in the order of the manifest. The gunzipped form of a file
/// is checked where there is one, as that is what convoy reads; its state is unknown where no hash of it was
/// published.
std::vector<FileCheck> verify_dataset(const Manifest& manifest, const std::filesystem::path& data_folder);

/// How many files of a dataset are there, gunzipped or not, whatever is in them.
std::size_t files_present(const Manifest& manifest, const std::filesystem::path& data_folder);

/// Throws the one line that says what is wrong with a dataset and what to do: DataError where a file is
/// damaged, MissingFileError where one is missing.
void require_intact(const std::string& dataset, std::span<const FileCheck> checks);

/// Compares one file with what it should be.
FileCheck check_file(const std::filesystem::path& file, const FileIdentity& expected);

}  // namespace convoy
