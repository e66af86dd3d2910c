#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "data/byte_source.hpp"

namespace convoy {

/// One regular file out of a gzipped tar archive, read by libarchive. Throws MissingFileError where the
/// archive cannot be opened, DataError where it is damaged or holds no such file.
std::unique_ptr<ByteSource> tar_gz_source(const std::filesystem::path& archive, const std::string& member);

}  // namespace convoy
