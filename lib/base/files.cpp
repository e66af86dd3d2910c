#include "base/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/end_on_signal.hpp"
#include "base/error.hpp"
#include "base/open_to_read.hpp"

namespace convoy {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view temporary_mark = ".tmp-";
constexpr std::size_t random_digits = 16;

/// How long a pipe may say nothing.
constexpr std::chrono::seconds longest_silence{60};
constexpr std::size_t most_stream_bytes = std::size_t{64} << 20U;

[[noreturn]] void cannot_read(const fs::path& file) {
    throw MissingFileError(fmt::format("{}: {}", file.string(), std::strerror(errno)));
}

/// Waits until there is something to read, or the end.
void wait_for_more(int descriptor, const fs::path& file) {
    pollfd end{descriptor, POLLIN, 0};
    const auto milliseconds = std::chrono::milliseconds(longest_silence).count();
    const int ready = ::poll(&end, 1, static_cast<int>(milliseconds));
    if (ready < 0 && errno != EINTR) cannot_read(file);
    if (ready == 0) {
        throw MissingFileError(fmt::format("{}: is a pipe, and nobody wrote to it for {} s", file.string(),
                                           longest_silence.count()));
    }
}

/// Reads some bytes; 0 at the end.
std::size_t read_some_of(int descriptor, std::span<std::byte> into, const fs::path& file) {
    while (true) {
        const auto count = ::read(descriptor, into.data(), into.size());
        if (count >= 0) return static_cast<std::size_t>(count);
        if (errno == EAGAIN) wait_for_more(descriptor, file);
        if (errno != EINTR && errno != EAGAIN) cannot_read(file);
    }
}

/// The size of the file if it is a regular one, else a first guess.
std::size_t expected_size(const struct stat& found, std::size_t limit_bytes, const fs::path& file) {
    constexpr std::size_t of_stream = 65536;
    if (!S_ISREG(found.st_mode)) return std::min(of_stream, limit_bytes);
    const auto size = static_cast<std::size_t>(found.st_size);
    if (size <= limit_bytes) return size;
    throw DataError(fmt::format("{}: {} bytes, at most {} are accepted", file.string(), size, limit_bytes));
}

template <typename Container>
Container read_all(const fs::path& file, FileKinds accepted, std::size_t limit_bytes) {
    const auto opened = open_to_read(file, accepted);
    struct stat found {};
    if (::fstat(opened.get(), &found) != 0) cannot_read(file);
    if (S_ISFIFO(found.st_mode)) wait_for_more(opened.get(), file);
    if (!S_ISREG(found.st_mode)) limit_bytes = std::min(limit_bytes, most_stream_bytes);
    // One byte more than expected, so that the end is seen without growing.
    Container content(expected_size(found, limit_bytes, file) + 1, {});
    std::size_t have = 0;
    while (true) {
        const auto room = std::as_writable_bytes(std::span(content)).subspan(have);
        const auto count = read_some_of(opened.get(), room, file);
        have += count;
        if (have > limit_bytes)
            throw DataError(fmt::format("{}: at most {} bytes are accepted, and it has more", file.string(),
                                        limit_bytes));
        if (count == 0) break;
        if (have == content.size()) content.resize(std::min(2 * have, limit_bytes + 1));
    }
    content.resize(have);
    return content;
}

/// 64 random bits as text, so that nobody can know a temporary name before it is taken.
std::string random_part() {
    std::uint64_t bits = 0;
    while (::getrandom(&bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits)) {
    }
    return fmt::format("{:0{}x}", bits, random_digits);
}

/// A temporary file that is removed unless it was renamed to its final name.
class TemporaryFile {
  public:
    explicit TemporaryFile(const fs::path& target)
        : target_(target), name_(target.string() + std::string(temporary_mark) + random_part()) {
        constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
        descriptor_ = ::open(name_.c_str(), flags, 0644);
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
    fs::path name_;
    int descriptor_ = -1;
    bool renamed_ = false;
};

/// Throws MissingFileError if the system could not tell the status of a path.
fs::file_status known(const fs::path& path, fs::file_status status, const std::error_code& problem) {
    if (status.type() == fs::file_type::none)
        throw MissingFileError(fmt::format("{}: {}", path.string(), problem.message()));
    return status;
}

}  // namespace

std::vector<fs::path> paths_in(const fs::path& folder, std::error_code& problem) {
    std::vector<fs::path> paths;
    auto entry = fs::directory_iterator(folder, problem);
    for (; !problem && entry != fs::directory_iterator{}; entry.increment(problem))
        paths.push_back(entry->path());
    return paths;
}

bool is_present(const fs::path& path) {
    std::error_code problem;
    return fs::exists(known(path, fs::symlink_status(path, problem), problem));
}

bool is_taken(const fs::path& path) {
    std::error_code unknown;
    return fs::exists(fs::symlink_status(path, unknown));
}

bool is_file(const fs::path& file) {
    std::error_code problem;
    return fs::is_regular_file(known(file, fs::status(file, problem), problem));
}

fs::path temporary_folder() {
    std::error_code problem;
    auto folder = fs::temp_directory_path(problem);
    if (!problem) return folder;
    const char* chosen = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe): nothing here sets it
    throw OutputError(fmt::format("{}: is no folder for temporary files: {}; set TMPDIR to another",
                                  chosen == nullptr ? "/tmp" : chosen, problem.message()));
}

std::optional<std::string_view> target_of_temporary(std::string_view name) {
    constexpr auto added = temporary_mark.size() + random_digits;
    if (name.size() <= added) return std::nullopt;
    const auto target = name.substr(0, name.size() - added);
    const auto digits = name.substr(name.size() - random_digits);
    const bool right = name.substr(target.size(), temporary_mark.size()) == temporary_mark &&
                       digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    return right ? std::optional(target) : std::nullopt;
}

std::string read_text(const fs::path& file, std::size_t limit_bytes) {
    return read_all<std::string>(file, FileKinds::and_streams, limit_bytes);
}

std::string read_file_text(const fs::path& file, std::size_t limit_bytes) {
    return read_all<std::string>(file, FileKinds::regular, limit_bytes);
}

std::vector<std::byte> read_bytes(const fs::path& file, std::size_t limit_bytes) {
    return read_all<std::vector<std::byte>>(file, FileKinds::regular, limit_bytes);
}

void write_whole(const fs::path& file, std::span<const std::byte> content) {
    const HeldSignals held;  // a signal that ends the process would leave the temporary name
    TemporaryFile temporary(file);
    temporary.write(content);
    temporary.publish();
}

void write_whole(const fs::path& file, std::string_view content) {
    write_whole(file, std::as_bytes(std::span(content)));
}

}  // namespace convoy
