#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/hmac.hpp"

namespace convoy {

/// The size of a frame's seal.
inline constexpr std::size_t seal_bytes = 16;
using Seal = std::array<std::byte, seal_bytes>;

/// A keyed checksum of each frame of one direction of a connection, in the order of the frames. Whoever does
/// not know the key cannot change, drop, repeat or exchange a frame unseen. The seal is GMAC with AES-128
/// (NIST SP 800-38D) under the first half of the key; its 96-bit nonce is four zero bytes and the number of
/// the frame, little-endian. Each direction of each connection has a key of its own, so no nonce is used
/// twice.
class FrameSeal {
  public:
    explicit FrameSeal(const Hmac& key);
    /// The seal of the next frame.
    Seal next(std::span<const std::byte> header, std::span<const std::byte> payload);

  private:
    struct Free {
        void operator()(void* context) const;
    };
    std::unique_ptr<void, Free> context_;
    std::uint64_t frames_ = 0;
};

/// The keys of a connection's two directions, as one side sees them.
struct SealKeys {
    Hmac out{}, in{};
};

/// Whether two seals are equal. The time does not depend on the place of the first difference.
bool same_seal(const Seal& a, const Seal& b);

}  // namespace convoy
