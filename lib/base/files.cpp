#include "base/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/error.hpp"

namespace convoy {
namespace fs = std::filesystem;

namespace {

template <typename Container>
Container read_all(const fs::path& file, std::size_t limit_bytes) {
    std::error_code problem;
    if (fs::is_directory(file, problem))
        throw MissingFileError(fmt::format("{}: is a folder, not a file", file.string()));
    std::ifstream in(file, std::ios::binary | std::ios::ate);
    if (!in) throw MissingFileError(fmt::format("{}: {}", file.string(), std::strerror(errno)));
    const auto size = static_cast<std::size_t>(in.tellg());
    if (size > limit_bytes) {
        throw DataError(
            fmt::format("{}: {} bytes, at most {} are accepted", file.string(), size, limit_bytes));
    }
    Container content(size, {});
    in.seekg(0);
    in.read(reinterpret_cast<char*>(content.data()), static_cast<std::streamsize>(size));
    if (!in) throw DataError(fmt::format("{}: cannot be read", file.string()));
    return content;
}

/// A temporary file that is removed unless it was renamed to its final name.
class TemporaryFile {
  public:
    explicit TemporaryFile(const fs::path& target)
        : target_(target), name_(target.string() + fmt::format(".tmp-{}", ::getpid())) {
        descriptor_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        if (descriptor_ < 0) fail();
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    TemporaryFile(TemporaryFile&&) = delete;
    TemporaryFile& operator=(TemporaryFile&&) = delete;
    ~TemporaryFile() {
        if (descriptor_ >= 0) ::close(descriptor_);
        if (!renamed_) ::unlink(name_.c_str());
    }

    void write(std::span<const std::byte> content) {
        while (!content.empty()) {
            const auto written = ::write(descriptor_, content.data(), content.size());
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) fail();
            content = content.subspan(static_cast<std::size_t>(written));
        }
    }

    void publish() {
        if (::fsync(descriptor_) != 0) fail();
        const int closed = ::close(descriptor_);
        descriptor_ = -1;
        if (closed != 0 || ::rename(name_.c_str(), target_.c_str()) != 0) fail();
        renamed_ = true;
    }

  private:
    [[noreturn]] void fail() const {
        throw OutputError(fmt::format("{}: cannot be written: {}", target_.string(), std::strerror(errno)));
    }

    fs::path target_;
    std::string name_;
    int descriptor_ = -1;
    bool renamed_ = false;
};

}  // namespace

std::string read_text(const fs::path& file, std::size_t limit_bytes) {
    return read_all<std::string>(file, limit_bytes);
}

std::vector<std::byte> read_bytes(const fs::path& file, std::size_t limit_bytes) {
    return read_all<std::vector<std::byte>>(file, limit_bytes);
}

void write_whole(const fs::path& file, std::span<const std::byte> content) {
    TemporaryFile temporary(file);
    temporary.write(content);
    temporary.publish();
}

void write_whole(const fs::path& file, std::string_view content) {
    write_whole(file, std::as_bytes(std::span(content)));
}

}  // namespace convoy
