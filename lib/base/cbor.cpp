#include "base/cbor.hpp"

#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace convoy {
namespace {

using nlohmann::json;

/// Walks a value without building it and stops where it nests too deep: the parser itself recurses without
/// bound.
class DepthCheck : public nlohmann::json_sax<json> {
  public:
    bool null() override { return true; }
    bool boolean(bool /*value*/) override { return true; }
    bool number_integer(number_integer_t /*value*/) override { return true; }
    bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
    bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
    bool string(string_t& /*value*/) override { return true; }
    bool binary(binary_t& /*value*/) override { return true; }
    bool key(string_t& /*value*/) override { return true; }
    bool start_object(std::size_t /*elements*/) override { return ++depth_ <= max_cbor_depth; }
    bool end_object() override { return --depth_ >= 0; }
    bool start_array(std::size_t /*elements*/) override { return ++depth_ <= max_cbor_depth; }
    bool end_array() override { return --depth_ >= 0; }
    bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                     const json::exception& /*problem*/) override {
        return false;
    }

  private:
    int depth_ = 0;
};

}  // namespace

std::vector<std::byte> encode_cbor(const json& value) {
    std::vector<std::uint8_t> cbor = json::to_cbor(value);
    const auto bytes = std::as_bytes(std::span(cbor));
    return {bytes.begin(), bytes.end()};
}

json decode_cbor(std::span<const std::byte> bytes, const std::string& refusal) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
    const auto* last = first + bytes.size();
    try {
        DepthCheck check;
        if (json::sax_parse(first, last, &check, json::input_format_t::cbor))
            return json::from_cbor(first, last);
    } catch (const json::exception&) {
        // A length beyond what a container can hold: refused like the rest.
    }
    throw DataError(refusal);
}

}  // namespace convoy
