#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace convoy {

/// 128 random bits from the system's generator, as 32 hexadecimal digits. Nobody can guess them.
std::string random_token();

/// A token has so many characters at least: whoever records a handshake can try others against it.
inline constexpr std::size_t least_token_bytes = 16;

/// Throws UsageError if a token is too short. source: where it comes from.
void require_strong(std::string_view token, std::string_view source);

/// Reads the token in a file, without the line end. Throws MissingFileError if the file cannot be opened.
/// Throws UsageError if users other than its owner may read or write it, if it has no token, or if that is
/// too short.
std::string read_token_file(const std::filesystem::path& file);

/// A file with a new random token, in the system's folder for temporary files. Only its owner may read it.
/// The destructor removes it.
class TokenFile {
  public:
    /// Throws OutputError if the file cannot be written.
    TokenFile();
    TokenFile(const TokenFile&) = delete;
    TokenFile& operator=(const TokenFile&) = delete;
    TokenFile(TokenFile&&) = delete;
    TokenFile& operator=(TokenFile&&) = delete;
    ~TokenFile();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] const std::string& token() const { return token_; }

  private:
    std::filesystem::path path_;
    std::string token_;
};

}  // namespace convoy
