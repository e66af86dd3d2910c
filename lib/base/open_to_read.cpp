#include "base/open_to_read.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace convoy {

Descriptor open_to_read(const std::filesystem::path& file, FileKinds accepted) {
    Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    // A process on a file server may have a lease on a regular file, and gives it up after a while
    // (fcntl(2)).
    std::error_code unknown;
    if (opened.get() < 0 && errno == EWOULDBLOCK && std::filesystem::is_regular_file(file, unknown))
        opened.reset(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    if (opened.get() < 0 || ::fstat(opened.get(), &status) != 0)
        throw MissingFileError(fmt::format("{}: {}", file.string(), std::strerror(errno)));
    if (S_ISDIR(status.st_mode))
        throw MissingFileError(fmt::format("{}: is a folder, not a file", file.string()));
    if (accepted == FileKinds::regular && !S_ISREG(status.st_mode))
        throw MissingFileError(fmt::format("{}: is not a regular file", file.string()));
    return opened;
}

}  // namespace convoy
