#pragma once

#include <filesystem>

#include "base/descriptor.hpp"

namespace convoy {

/// Opens a file as open(2) does, with O_CLOEXEC, and does not wait for the other side of a named pipe. It
/// waits until a process on a file server gives up a lease that it has on a regular file (fcntl(2)). mode:
/// of a file that O_CREAT makes. The descriptor is negative if the file cannot be opened; errno has the
/// reason.
Descriptor open_at_once(const std::filesystem::path& file, int flags, mode_t mode = 0);

}  // namespace convoy
