#pragma once

#include <filesystem>
#include <string>

namespace convoy {

/// The token in a file, without the line end. Throws MissingFileError where the file cannot be opened,
/// UsageError where others than its owner may read or write it, or where it holds no token.
std::string read_token_file(const std::filesystem::path& file);

/// A file with a new random token, in the system's folder for temporary files. Only its owner may read it. It
/// is removed with this object.
class TokenFile {
  public:
    /// Throws OutputError where the file cannot be made.
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
