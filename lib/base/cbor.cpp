#include "base/cbor.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.hpp"

namespace convoy {
namespace {

using nlohmann::json;

/// The first byte of a value and the number behind it (RFC 8949, section 3).
struct Head {
    std::size_t bytes = 0;  ///< of the head itself
    unsigned type = 0;      ///< 0 and 1: integers, 2: bytes, 3: text, 4: array, 5: object, 6: tag, 7: others
    bool endless = false;   ///< the length is not told, a break ends the value; or it is the break itself
    std::uint64_t number = 0;  ///< the length of a text, for instance
};

constexpr unsigned of_bytes = 2, of_text = 3, of_array = 4, of_object = 5, of_others = 7;

/// Absent if the bytes end within the head, or if the first byte begins no head.
std::optional<Head> head_of(std::span<const std::byte> bytes) {
    constexpr unsigned first_longer = 24, last_longer = 27, no_length = 31;
    if (bytes.empty()) return std::nullopt;
    const auto first = std::to_integer<unsigned>(bytes[0]);
    Head head{.bytes = 1, .type = first >> 5U, .number = first & 31U};
    head.endless = head.number == no_length;
    if (head.number < first_longer || head.endless) return head;
    if (head.number > last_longer) return std::nullopt;
    const auto more = std::size_t{1} << (head.number - first_longer);
    if (bytes.size() <= more) return std::nullopt;
    head.number = 0;
    for (const auto byte : bytes.subspan(1, more))
        head.number = head.number << 8U | std::to_integer<std::uint64_t>(byte);
    head.bytes += more;
    return head;
}

/// Whether the library can read these bytes without recursing too deep. It recurses into arrays and objects,
/// and into the parts of a text or of bytes whose length is not told. encode_cbor writes no text and no bytes
/// in parts. Values that it refuses in any case may pass.
bool nests_within_bounds(std::span<const std::byte> bytes) {
    constexpr std::uint64_t until_break = ~std::uint64_t{0};
    std::vector<std::uint64_t> open;  // the values that each array or object around still needs
    while (!bytes.empty()) {
        const auto head = head_of(bytes);
        if (!head) return false;
        bytes = bytes.subspan(head->bytes);
        const bool is_break = head->type == of_others && head->endless;
        if (is_break) {
            if (open.empty() || open.back() != until_break) return false;
            open.pop_back();
        } else if (head->type == of_array || head->type == of_object) {
            if (open.size() == max_cbor_depth) return false;
            if (!head->endless && head->number > bytes.size()) return false;
            open.push_back(head->endless             ? until_break
                           : head->type == of_object ? 2 * head->number
                                                     : head->number);
            if (open.back() != 0) continue;
            open.pop_back();
        } else if (head->type == of_bytes || head->type == of_text) {
            if (head->endless || head->number > bytes.size()) return false;
            bytes = bytes.subspan(head->number);
        }
        // A value is complete, and with it perhaps what is around it.
        while (!open.empty() && open.back() != until_break && --open.back() == 0) open.pop_back();
    }
    return true;
}

}  // namespace

std::vector<std::byte> encode_cbor(const json& value) {
    std::vector<std::uint8_t> cbor = json::to_cbor(value);
    const auto bytes = std::as_bytes(std::span(cbor));
    return {bytes.begin(), bytes.end()};
}

json decode_cbor(std::span<const std::byte> bytes, const std::string& refusal) {
    if (!nests_within_bounds(bytes)) throw DataError(refusal);
    const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
    try {
        return json::from_cbor(first, first + bytes.size());
    } catch (const json::exception&) {
        throw DataError(refusal);
    }
}

}  // namespace convoy
