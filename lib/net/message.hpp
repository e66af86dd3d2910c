#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace convoy {

/// Arrays and objects may be nested this deep in a message, so that a hostile one cannot exhaust the stack.
inline constexpr int message_max_depth = 64;

/// A JSON value as CBOR (RFC 8949), the payload of a message frame.
std::vector<std::byte> encode_message(const nlohmann::json& message);

/// The value that encode_message wrote. Throws DataError, naming peer, where the bytes are no single CBOR
/// value or nest too deep.
nlohmann::json decode_message(std::span<const std::byte> payload, std::string_view peer);

}  // namespace convoy
