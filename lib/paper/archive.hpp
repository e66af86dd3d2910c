#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace convoy {

/// The content of each file of an archive, by its path in the archive.
using ArchiveFiles = std::map<std::string, std::string, std::less<>>;

/// The path in an archive of a file of a run. run_folder: NAME-RUNID.
std::string archive_path_of(std::string_view run_folder, std::string_view file);

/// Whether an archive may have a file of this path (archive_format.hpp). Such a path stays within the folder
/// into which it is unpacked.
bool is_archive_path(std::string_view path);

/// Packs files into a gzipped tar archive. The same files give the same bytes. Throws UsageError that names
/// the bound if the archive would exceed one, InternalError if a path is not allowed.
std::string pack_archive(const ArchiveFiles& files);

/// Unpacks an archive. It may hold regular files with allowed paths only: no folders, links or devices, no
/// path twice. source: its name in errors. Throws DataError that names the member if it holds anything else,
/// exceeds a bound of archive_format.hpp or is damaged.
ArchiveFiles unpack_archive(std::span<const std::byte> bytes, const std::string& source);

}  // namespace convoy
