#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

namespace convoy {

/// Arrays and objects may stand in one another this deep in a value that is read: the parser recurses.
inline constexpr int max_cbor_depth = 64;

/// A JSON value as CBOR (RFC 8949).
std::vector<std::byte> encode_cbor(const nlohmann::json& value);

/// The value that encode_cbor wrote, from outside. Throws DataError with the line refusal where the bytes are
/// no single CBOR value or nest too deep.
nlohmann::json decode_cbor(std::span<const std::byte> bytes, const std::string& refusal);

}  // namespace convoy
