#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

namespace convoy {

/// The greatest depth of nested arrays and objects in a value that is read. It is limited since the library
/// recurses.
inline constexpr int max_cbor_depth = 64;

/// Encodes a JSON value as CBOR (RFC 8949).
std::vector<std::byte> encode_cbor(const nlohmann::json& value);

/// Decodes a value of encode_cbor that comes from outside. Throws a DataError with the text `refusal` if the
/// bytes are not exactly one CBOR value, nest too deep, or hold a text or bytes whose length is not told.
nlohmann::json decode_cbor(std::span<const std::byte> bytes, const std::string& refusal);

}  // namespace convoy
