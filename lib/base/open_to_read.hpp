#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <memory>

#include "base/descriptor.hpp"

namespace convoy {

/// The kinds of files that a reader accepts.
enum class FileKinds : std::uint8_t {
    regular,      ///< regular files only: they have a size, and can be read at any place
    and_streams,  ///< also pipes and devices, which are read to their end
};

/// Opens a file for reading. The call does not wait for a writer if the path leads to a named pipe, and
/// reads of the pipe do not wait either. Throws a MissingFileError with the path if the file cannot be
/// opened, or is of another kind; a folder is of neither.
Descriptor open_to_read(const std::filesystem::path& file, FileKinds accepted);

/// Opens a regular file as a stream of bytes. Throws as open_to_read. If a read fails, its buffer throws a
/// DataError with the path; formatted input and read() make of this the state badbit.
std::unique_ptr<std::istream> open_stream(const std::filesystem::path& file);

}  // namespace convoy
