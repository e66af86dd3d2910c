#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace convoy {

/// An authority of a test, and certificates of it, as files in a folder.
class TestAuthority {
  public:
    /// Writes the authority's certificate to `folder`/`name`.pem.
    TestAuthority(std::filesystem::path folder, std::string name);
    TestAuthority(const TestAuthority&) = delete;
    TestAuthority& operator=(const TestAuthority&) = delete;
    TestAuthority(TestAuthority&&) = delete;
    TestAuthority& operator=(TestAuthority&&) = delete;
    ~TestAuthority();

    struct Files {
        std::string certificate, key;
    };
    /// Writes a certificate for these names ("DNS:localhost,IP:127.0.0.1") and its key, which only the owner
    /// may read. valid: it is not over yet.
    [[nodiscard]] Files issue(const std::string& file, const std::string& names, bool valid = true) const;
    [[nodiscard]] std::string certificate() const;

  private:
    struct Signer;
    std::filesystem::path folder_;
    std::string name_;
    std::unique_ptr<Signer> signer_;
};

/// Writes a private key of another type than that of a TestAuthority's certificates.
void write_rsa_key(const std::filesystem::path& file);

}  // namespace convoy
