#include "base/sha256.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/hex_text.hpp"
#include "base/open_to_read.hpp"

namespace convoy {
namespace {

class Sha256Hash {
  public:
    Sha256Hash() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
        check(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
    }
    void add(std::string_view bytes) {
        check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
    }
    std::string hex() {
        std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
        unsigned int size = 0;
        check(EVP_DigestFinal_ex(context_.get(), digest.data(), &size) == 1);
        return hex_text(std::as_bytes(std::span(digest).first(size)));
    }

  private:
    static void check(bool ok) {
        if (!ok) throw InternalError("SHA-256 is not available in this OpenSSL");
    }
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string sha256(std::string_view content) {
    Sha256Hash digest;
    digest.add(content);
    return digest.hex();
}

std::string sha256(std::span<const std::byte> content) {
    return sha256(std::string_view(reinterpret_cast<const char*>(content.data()), content.size()));
}

std::string sha256_of_file(const std::filesystem::path& file) {
    const auto opened = open_to_read(file, FileKinds::regular);
    Sha256Hash digest;
    std::vector<char> piece(std::size_t{1} << 20U);
    while (true) {
        const auto count = ::read(opened.get(), piece.data(), piece.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0)
            throw DataError(fmt::format("{}: cannot be read: {}", file.string(), std::strerror(errno)));
        if (count == 0) return digest.hex();
        digest.add({piece.data(), static_cast<std::size_t>(count)});
    }
}

}  // namespace convoy
