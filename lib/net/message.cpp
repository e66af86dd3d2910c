#include "net/message.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/cbor.hpp"

namespace convoy {

std::vector<std::byte> encode_message(const nlohmann::json& message) {
    return encode_cbor(message);
}

nlohmann::json decode_message(std::span<const std::byte> payload, std::string_view peer) {
    return decode_cbor(payload,
                       fmt::format("{}: sent a message that is not valid CBOR; is it a convoy node?", peer));
}

}  // namespace convoy
