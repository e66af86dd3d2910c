#include "cluster/handshake.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <array>
#include <span>

#include "base/error.hpp"

namespace convoy {

namespace {

std::string hexadecimal(std::span<const unsigned char> bytes) {
    std::string text;
    for (const auto byte : bytes) text += fmt::format("{:02x}", byte);
    return text;
}

}  // namespace

std::string random_token() {
    std::array<unsigned char, 16> bytes{};
    if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
        throw InternalError("the system's random generator gives no numbers");
    return hexadecimal(bytes);
}

std::string join_proof(std::string_view token, JoinSide side, std::string_view launcher_nonce,
                       std::string_view worker_nonce) {
    const auto said = fmt::format("convoy join {} {} {}", side == JoinSide::launcher ? "launcher" : "worker",
                                  launcher_nonce, worker_nonce);
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    // OpenSSL takes bytes as unsigned char.
    const auto* message = reinterpret_cast<const unsigned char*>(said.data());
    if (HMAC(EVP_sha256(), token.data(), static_cast<int>(token.size()), message, said.size(), digest.data(),
             &length) == nullptr)
        throw InternalError("OpenSSL computes no HMAC-SHA256");
    return hexadecimal(std::span(digest).first(length));
}

bool same_proof(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace convoy
