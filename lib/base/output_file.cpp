#include "base/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/open_at_once.hpp"

namespace convoy {
namespace {

constexpr std::size_t most_buffered_bytes = std::size_t{1} << 18U;

[[noreturn]] void fail_to_write(const std::filesystem::path& what, int reason) {
    throw OutputError(fmt::format("{}: cannot be written: {}", what.string(), std::strerror(reason)));
}

}  // namespace

Descriptor open_to_write(const std::filesystem::path& file, int flags) {
    auto opened = open_at_once(file, O_WRONLY | O_CREAT | O_NOFOLLOW | flags, 0644);
    struct stat status {};
    if (opened.get() < 0 || ::fstat(opened.get(), &status) != 0) fail_to_write(file, errno);
    if (!S_ISREG(status.st_mode))
        throw OutputError(fmt::format("{}: cannot be written: is not a regular file", file.string()));
    return opened;
}

OutputFile::OutputFile(std::filesystem::path file, Open open)
    : file_(std::move(file)), opened_(open_to_write(file_, open == Open::fresh ? O_TRUNC : O_APPEND)) {
    struct stat status {};
    if (::fstat(opened_.get(), &status) != 0) fail(errno);
    flushed_ = static_cast<std::uint64_t>(status.st_size);
}

void OutputFile::fail(int reason) const {
    fail_to_write(file_, reason);
}

void OutputFile::write(std::string_view piece) {
    buffer_ += piece;
    if (buffer_.size() >= most_buffered_bytes) flush();
}

void OutputFile::flush() {
    std::string_view left = buffer_;
    while (!left.empty()) {
        const auto written = ::write(opened_.get(), left.data(), left.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            const int reason = errno;
            [[maybe_unused]] const int cut = ::ftruncate(opened_.get(), static_cast<off_t>(flushed_));
            ::lseek(opened_.get(), static_cast<off_t>(flushed_), SEEK_SET);
            buffer_.clear();
            fail(reason);
        }
        left.remove_prefix(static_cast<std::size_t>(written));
    }
    flushed_ += buffer_.size();
    buffer_.clear();
}

void OutputFile::sync() {
    flush();
    if (::fsync(opened_.get()) != 0) fail(errno);
}

std::filesystem::path name_of_new(const std::filesystem::path& file) {
    return file.string() + ".new";
}

void replace_file(const std::filesystem::path& file, std::string_view content) {
    try {
        OutputFile out(name_of_new(file), OutputFile::Open::fresh);
        out.write(content);
        out.sync();
        publish_new(file);
    } catch (const OutputError&) {
        ::unlink(name_of_new(file).c_str());
        throw;
    }
}

void publish_new(const std::filesystem::path& file) {
    if (::rename(name_of_new(file).c_str(), file.c_str()) != 0) fail_to_write(file, errno);
}

void sync_folder(const std::filesystem::path& folder) {
    const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int failed = opened < 0 ? -1 : ::fsync(opened);
    const int reason = errno;
    if (opened >= 0) ::close(opened);
    // Some file systems cannot flush folders, and a folder into which one may write need not be readable.
    if (failed != 0 && reason != EINVAL && reason != EACCES) fail_to_write(folder, reason);
}

}  // namespace convoy
