#include "net/frame_seal.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/error.hpp"

namespace convoy {

namespace {

constexpr std::size_t nonce_bytes = 12, number_at = 4;

// OpenSSL takes bytes as unsigned char.
const unsigned char* raw(std::span<const std::byte> bytes) {
    return reinterpret_cast<const unsigned char*>(bytes.data());
}

void require(bool done) {
    if (!done) throw InternalError("OpenSSL computes no GMAC");
}

EVP_CIPHER_CTX* as_context(void* context) {
    return static_cast<EVP_CIPHER_CTX*>(context);
}

/// Adds bytes that are not encrypted.
void add(EVP_CIPHER_CTX* context, std::span<const std::byte> bytes) {
    constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());
    while (!bytes.empty()) {
        const auto count = std::min(bytes.size(), most);
        int ignored = 0;
        require(EVP_EncryptUpdate(context, nullptr, &ignored, raw(bytes), static_cast<int>(count)) == 1);
        bytes = bytes.subspan(count);
    }
}

}  // namespace

void FrameSeal::Free::operator()(void* context) const {
    EVP_CIPHER_CTX_free(as_context(context));
}

FrameSeal::FrameSeal(const Hmac& key) : context_(EVP_CIPHER_CTX_new()) {
    require(context_ != nullptr && EVP_EncryptInit_ex(as_context(context_.get()), EVP_aes_128_gcm(), nullptr,
                                                      raw(key), nullptr) == 1);
}

Seal FrameSeal::next(std::span<const std::byte> header, std::span<const std::byte> payload) {
    auto* context = as_context(context_.get());
    std::array<unsigned char, nonce_bytes> nonce{};
    for (std::size_t i = 0; i < sizeof(frames_); ++i)
        nonce.at(number_at + i) = static_cast<unsigned char>(frames_ >> (8U * i));
    ++frames_;
    require(EVP_EncryptInit_ex(context, nullptr, nullptr, nullptr, nonce.data()) == 1);
    add(context, header);
    add(context, payload);
    int ignored = 0;
    Seal seal{};
    require(EVP_EncryptFinal_ex(context, nonce.data(), &ignored) == 1 &&
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, seal_bytes, seal.data()) == 1);
    return seal;
}

bool same_seal(const Seal& a, const Seal& b) {
    return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace convoy
