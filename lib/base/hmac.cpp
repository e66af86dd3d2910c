#include "base/hmac.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include "base/error.hpp"

namespace convoy {

Hmac hmac_sha256(std::span<const std::byte> key, std::span<const std::byte> message) {
    Hmac digest{};
    unsigned int length = 0;
    // OpenSSL takes bytes as unsigned char.
    if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
             reinterpret_cast<const unsigned char*>(message.data()), message.size(),
             reinterpret_cast<unsigned char*>(digest.data()), &length) == nullptr ||
        length != digest.size())
        throw InternalError("OpenSSL computes no HMAC-SHA256");
    return digest;
}

bool same_hmac(const Hmac& a, const Hmac& b) {
    return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

void fill_with_random(std::span<std::byte> bytes) {
    if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size())) != 1)
        throw InternalError("the system's random generator gives no numbers");
}

}  // namespace convoy
