#include "report/staged_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/descriptor.hpp"
#include "base/error.hpp"

namespace convoy {
namespace fs = std::filesystem;

void cannot_write(const fs::path& what, const std::string& reason) {
    throw OutputError(fmt::format("{}: cannot be written: {}", what.string(), reason));
}

fs::path folder_above(const fs::path& folder) {
    const auto above = folder.parent_path();
    return above.empty() ? fs::path(".") : above;
}

namespace {

std::string temporary_prefix(const fs::path& target) {
    return fmt::format(".{}.tmp-", target.filename().string());
}

/// An open folder that is locked by this process, or -1.
int lock_folder(const fs::path& folder) {
    const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (opened >= 0 && ::flock(opened, LOCK_EX | LOCK_NB) == 0) return opened;
    if (opened >= 0) ::close(opened);
    return -1;
}

/// A file with this content is in every folder that is still staged, so that no other folder is taken for
/// one.
constexpr auto marker_name = ".convoy-staged";
constexpr std::string_view marker_text = "convoy writes a run here; this folder may be removed\n";

bool put_marker(int folder) {
    const Descriptor file(
        ::openat(folder, marker_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
    return file.get() >= 0 && ::write(file.get(), marker_text.data(), marker_text.size()) ==
                                  static_cast<ssize_t>(marker_text.size());
}

/// Whether the open folder has the marker of this user, as a file and not as a link.
bool has_marker(int folder) {
    const Descriptor file(::openat(folder, marker_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat found {};
    if (file.get() < 0 || ::fstat(file.get(), &found) != 0) return false;
    std::string text(marker_text.size() + 1, '\0');
    const auto count = ::read(file.get(), text.data(), text.size());
    return S_ISREG(found.st_mode) && found.st_uid == ::geteuid() &&
           count == static_cast<ssize_t>(marker_text.size()) && text.starts_with(marker_text);
}

/// Removes the folders for this target that nobody holds any more.
void remove_abandoned(const fs::path& target) {
    std::error_code ignored;
    std::vector<fs::path> abandoned;
    for (const auto& entry : fs::directory_iterator(folder_above(target), ignored)) {
        if (entry.path().filename().string().starts_with(temporary_prefix(target)))
            abandoned.push_back(entry.path());
    }
    for (const auto& folder : abandoned) {
        const int lock = lock_folder(folder);
        if (lock < 0) continue;
        if (has_marker(lock)) fs::remove_all(folder, ignored);
        ::close(lock);
    }
}

sigset_t hold_signals() {
    sigset_t held;
    sigset_t before;
    ::sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&held, signal);
    ::pthread_sigmask(SIG_BLOCK, &held, &before);
    return before;
}

}  // namespace

StagedFolder::StagedFolder(fs::path target) : target_(std::move(target)) {
    remove_abandoned(target_);
    signals_before_ = hold_signals();
    auto name = (folder_above(target_) / (temporary_prefix(target_) + "XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr) {
        const auto reason = errno;
        ::pthread_sigmask(SIG_SETMASK, &signals_before_, nullptr);
        cannot_write(target_, std::strerror(reason));
    }
    path_ = name;
    lock_ = lock_folder(path_);
    put_marker(lock_);  // without it, the folder stays if this process is killed
    std::error_code ignored;
    fs::permissions(path_, fs::perms(0755), ignored);  // mkdtemp's are for one user only
}

StagedFolder::~StagedFolder() {
    std::error_code ignored;
    if (!published_) fs::remove_all(path_, ignored);
    if (lock_ >= 0) ::close(lock_);
    ::pthread_sigmask(SIG_SETMASK, &signals_before_, nullptr);
}

void StagedFolder::replace() {
    take_marker();
    int failed = ::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE);
    // Some file systems (NFS among them) cannot exchange.
    if (failed != 0 && (errno == EINVAL || errno == ENOSYS)) {
        const auto aside = path_.string() + "-before";
        failed = ::rename(target_.c_str(), aside.c_str());
        if (failed == 0) failed = ::rename(path_.c_str(), target_.c_str());
        path_ = aside;
    }
    if (failed != 0) cannot_write(target_, std::strerror(errno));
    // path_ is the old one now, which the destructor removes.
}

void StagedFolder::take_marker() const {
    ::unlinkat(lock_, marker_name, 0);
}

bool StagedFolder::publish() {
    take_marker();
    int failed = ::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(), RENAME_NOREPLACE);
    // Some file systems (NFS among them) cannot refuse to replace.
    if (failed != 0 && (errno == EINVAL || errno == ENOSYS)) {
        if (fs::exists(target_)) return false;
        failed = ::rename(path_.c_str(), target_.c_str());
    }
    if (failed != 0 && (errno == EEXIST || errno == ENOTEMPTY)) return false;
    if (failed != 0) cannot_write(target_, std::strerror(errno));
    published_ = true;
    return true;
}

}  // namespace convoy
