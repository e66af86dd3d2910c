#include "data/part_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/folder_lock.hpp"

namespace convoy {

PartFile::PartFile(std::filesystem::path target, const Waiting& waits)
    : target_(std::move(target)), path_(target_.string() + ".part") {
    while (!open_and_lock(waits)) {
    }
}

PartFile::~PartFile() {
    if (size_ == 0 && !published_) ::unlink(path_.c_str());
}

/// False where the file that was opened lost its name before it was locked: somebody just finished fetching
/// it.
bool PartFile::open_and_lock(const Waiting& waits) {
    file_.reset(::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (file_.get() < 0) fail();
    wait_for_lock(waits);
    size_ = bytes_written();
    struct stat held {};
    struct stat named {};
    if (::fstat(file_.get(), &held) != 0) fail();
    return ::stat(path_.c_str(), &named) == 0 && held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

void PartFile::wait_for_lock(const Waiting& waits) const {
    while (take_lock(file_.get()) == LockState::held) {
        if (waits && waits(bytes_written())) continue;
        throw OutputError(fmt::format("{}: another process fetches this file: wait for it", path_.string()));
    }
}

std::uint64_t PartFile::bytes_written() const {
    struct stat status {};
    if (::fstat(file_.get(), &status) != 0) fail();
    return static_cast<std::uint64_t>(status.st_size);
}

void PartFile::append(std::span<const char> bytes) {
    while (!bytes.empty()) {
        const auto written = ::write(file_.get(), bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail();
        size_ += static_cast<std::uint64_t>(written);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
}

void PartFile::clear() {
    if (::ftruncate(file_.get(), 0) != 0) fail();
    size_ = 0;
}

void PartFile::publish() {
    if (::fsync(file_.get()) != 0 || ::rename(path_.c_str(), target_.c_str()) != 0) fail();
    published_ = true;
}

void PartFile::fail() const {
    throw OutputError(fmt::format("{}: cannot be written: {}", path_.string(), std::strerror(errno)));
}

}  // namespace convoy
