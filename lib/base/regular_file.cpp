#include "base/regular_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace convoy {

Descriptor open_regular_file(const std::filesystem::path& file) {
    Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    // A process on a file server may have a lease on a regular file, and gives it up after a while
    // (fcntl(2)).
    std::error_code unknown;
    if (opened.get() < 0 && errno == EWOULDBLOCK && std::filesystem::is_regular_file(file, unknown))
        opened.reset(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    if (opened.get() < 0 || ::fstat(opened.get(), &status) != 0)
        throw MissingFileError(fmt::format("{}: {}", file.string(), std::strerror(errno)));
    if (!S_ISREG(status.st_mode))
        throw MissingFileError(
            fmt::format("{}: is {}", file.string(),
                        S_ISDIR(status.st_mode) ? "a folder, not a file" : "not a regular file"));
    return opened;
}

}  // namespace convoy
