#include "base/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/error.hpp"

namespace convoy {
namespace {

/// Whether the open folder still has this name. Another process may have renamed or removed it.
bool is_at(int opened, const std::filesystem::path& path, SymbolicLinks links) {
    const int flags = links == SymbolicLinks::refused ? AT_SYMLINK_NOFOLLOW : 0;
    struct stat held {};
    struct stat named {};
    return ::fstat(opened, &held) == 0 && ::fstatat(AT_FDCWD, path.c_str(), &named, flags) == 0 &&
           held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

}  // namespace

LockState take_lock(int opened) {
    constexpr int attempts = 100;
    constexpr auto pause = std::chrono::milliseconds(5);
    for (int attempt = 1;; ++attempt) {
        if (::flock(opened, LOCK_EX | LOCK_NB) == 0) return LockState::taken;
        if (errno == EINTR) continue;
        if (errno != EWOULDBLOCK) return LockState::unsupported;
        if (attempt >= attempts) return LockState::held;
        std::this_thread::sleep_for(pause);
    }
}

bool is_locked(int opened) {
    return ::flock(opened, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

FolderLock::FolderLock(const std::filesystem::path& folder, SymbolicLinks links, const std::string& holder,
                       const std::function<void()>& make) {
    // Between any two calls, another process may rename or remove the folder.
    constexpr int attempts = 100;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        make();
        if (take(folder, links, holder)) return;
    }
    throw UsageError(fmt::format("{}: {}", folder.string(), holder));
}

/// False if the folder lost its name before it was locked.
bool FolderLock::take(const std::filesystem::path& folder, SymbolicLinks links, const std::string& holder) {
    const int nofollow = links == SymbolicLinks::refused ? O_NOFOLLOW : 0;
    folder_.reset(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | nofollow));
    if (folder_.get() < 0) {
        if (errno == ENOENT) return false;
        if (errno == ENOTDIR || errno == ELOOP)
            throw UsageError(fmt::format("{}: exists already, and is no folder", folder.string()));
        throw OutputError(fmt::format("{}: cannot be opened: {}", folder.string(), std::strerror(errno)));
    }
    const auto state = take_lock(folder_.get());
    const int reason = errno;
    if (!is_at(folder_.get(), folder, links)) return false;
    if (state == LockState::held) throw UsageError(fmt::format("{}: {}", folder.string(), holder));
    if (state == LockState::unsupported)
        warning_ = fmt::format("{}: cannot be locked ({}); let no other convoy process use it",
                               folder.string(), std::strerror(reason));
    return true;
}

}  // namespace convoy
