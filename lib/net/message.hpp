#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace convoy {

/// A JSON value as CBOR (RFC 8949), the payload of a message frame.
std::vector<std::byte> encode_message(const nlohmann::json& message);

/// The value that encode_message wrote. Throws DataError, naming peer, where the bytes are no single CBOR
/// value or nest too deep (max_cbor_depth).
nlohmann::json decode_message(std::span<const std::byte> payload, std::string_view peer);

}  // namespace convoy
