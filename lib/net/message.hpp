#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace convoy {

/// Encodes a JSON value as CBOR (RFC 8949), the payload of a message frame.
std::vector<std::byte> encode_message(const nlohmann::json& message);

/// Decodes a value of encode_message. Throws a DataError that names `peer` if the bytes are not exactly one
/// CBOR value that decode_cbor reads (base/cbor.hpp).
nlohmann::json decode_message(std::span<const std::byte> payload, std::string_view peer);

}  // namespace convoy
