#pragma once

#include <filesystem>

#include "base/descriptor.hpp"

namespace convoy {

/// Opens a file for reading. The call does not wait for a writer if the path leads to a named pipe. Throws a
/// MissingFileError with the path if the file cannot be opened, or is not a regular file: a folder, a pipe, a
/// device.
Descriptor open_regular_file(const std::filesystem::path& file);

}  // namespace convoy
