#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "data/byte_source.hpp"

namespace convoy {

/// The bytes of one regular file in a gzipped tar archive, read by libarchive. Throws MissingFileError if the
/// archive cannot be opened, DataError if it is damaged or has no such file.
std::unique_ptr<ByteSource> tar_gz_source(const std::filesystem::path& archive, const std::string& member);

}  // namespace convoy
