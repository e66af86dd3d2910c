#include "data/digest.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/hex_text.hpp"

namespace convoy {
namespace {

void check(bool ok) {
    if (!ok) throw InternalError("this OpenSSL cannot compute the hash");
}

}  // namespace

std::string Digest::text() const {
    return fmt::format("{} {}", kind == HashKind::md5 ? "md5" : "sha256", hex);
}

bool is_digest(std::string_view hex, HashKind kind) {
    const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    return hex.size() == (kind == HashKind::sha256 ? 64U : 32U) && std::ranges::all_of(hex, is_hex);
}

Digest digest_of(ByteSource& source, HashKind kind) {
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
    check(context &&
          EVP_DigestInit_ex(context.get(), kind == HashKind::md5 ? EVP_md5() : EVP_sha256(), nullptr) == 1);
    std::vector<std::uint8_t> piece(std::size_t{1} << 18U);
    for (auto count = source.read(piece); count > 0; count = source.read(piece)) {
        check(EVP_DigestUpdate(context.get(), piece.data(), count) == 1);
    }
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned int size = 0;
    check(EVP_DigestFinal_ex(context.get(), bytes.data(), &size) == 1);
    return {kind, hex_text(std::as_bytes(std::span(bytes).first(size)))};
}

Digest digest_of_file(const std::filesystem::path& file, HashKind kind) {
    return digest_of(*file_source(file), kind);
}

}  // namespace convoy
