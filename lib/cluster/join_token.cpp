#include "cluster/join_token.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/hex_text.hpp"
#include "base/hmac.hpp"

namespace convoy {

namespace {

constexpr std::size_t most_token_bytes = 4096;

std::string read_all(const Descriptor& file, const std::filesystem::path& path) {
    std::string text;
    std::array<char, most_token_bytes> piece{};
    while (true) {
        const auto count = ::read(file.get(), piece.data(), piece.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0)
            throw MissingFileError(
                fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
        if (count == 0) return text;
        text.append(piece.data(), static_cast<std::size_t>(count));
        if (text.size() > most_token_bytes)
            throw UsageError(fmt::format("{}: is too long for a token", path.string()));
    }
}

}  // namespace

std::string random_token() {
    std::array<std::byte, 16> bytes{};
    fill_with_random(bytes);
    return hex_text(bytes);
}

void require_strong(std::string_view token, std::string_view source) {
    if (token.size() >= least_token_bytes) return;
    throw UsageError(
        fmt::format("{}: a token of {} characters can be guessed; take {} random ones at least, as of "
                    "`openssl rand -hex 16`",
                    source, token.size(), least_token_bytes));
}

std::string read_token_file(const std::filesystem::path& file) {
    const Descriptor open(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (open.get() < 0)
        throw MissingFileError(fmt::format("{}: cannot be opened: {}", file.string(), std::strerror(errno)));
    // The opened file is looked at, and not its name: nobody can exchange it between the two.
    struct stat state {};
    if (::fstat(open.get(), &state) != 0 || (state.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        throw UsageError(
            fmt::format("{0}: holds the run's token, and others than its owner may read it; chmod 600 {0}",
                        file.string()));
    auto token = read_all(open, file);
    token.erase(token.find_last_not_of(" \t\r\n") + 1);
    if (token.empty()) throw UsageError(fmt::format("{}: holds no token", file.string()));
    require_strong(token, file.string());
    return token;
}

TokenFile::TokenFile() : token_(random_token()) {
    auto name = (temporary_folder() / "convoy-token-XXXXXX").string();
    const Descriptor file(::mkostemp(name.data(), O_CLOEXEC));  // with mode 0600
    if (file.get() < 0) throw OutputError(fmt::format("{}: cannot be made: {}", name, std::strerror(errno)));
    path_ = name;
    const auto line = token_ + '\n';
    if (::write(file.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size())) return;
    const std::string reason = std::strerror(errno);
    ::unlink(path_.c_str());
    throw OutputError(fmt::format("{}: cannot be written: {}", name, reason));
}

TokenFile::~TokenFile() {
    ::unlink(path_.c_str());
}

}  // namespace convoy
