#include "base/open_at_once.hpp"

#include <fcntl.h>

#include <cerrno>
#include <system_error>

namespace convoy {

Descriptor open_at_once(const std::filesystem::path& file, int flags, mode_t mode) {
    Descriptor opened(::open(file.c_str(), flags | O_CLOEXEC | O_NONBLOCK, mode));
    if (opened.get() >= 0 || errno != EWOULDBLOCK) return opened;
    std::error_code unknown;
    if (std::filesystem::is_regular_file(file, unknown)) {
        opened.reset(::open(file.c_str(), flags | O_CLOEXEC, mode));
    } else {
        errno = EWOULDBLOCK;
    }
    return opened;
}

}  // namespace convoy
