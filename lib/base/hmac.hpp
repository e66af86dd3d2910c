#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace convoy {

/// A result of HMAC-SHA256.
using Hmac = std::array<std::byte, 32>;

/// HMAC-SHA256 (RFC 2104) of a message under a key of any length.
Hmac hmac_sha256(std::span<const std::byte> key, std::span<const std::byte> message);

/// Whether two digests are equal. The time does not depend on the place of the first difference.
bool same_hmac(const Hmac& a, const Hmac& b);

/// Fills bytes from the system's generator. Nobody can guess them.
void fill_with_random(std::span<std::byte> bytes);

}  // namespace convoy
