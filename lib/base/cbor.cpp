#include "base/cbor.hpp"

#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace convoy {
namespace {

using nlohmann::json;

/// Builds a value, and stops where it nests too deep: the library's own builder recurses without bound.
class BoundedBuilder : public nlohmann::json_sax<json> {
  public:
    json take() { return std::move(root_); }

    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(number_integer_t value) override { return add(value); }
    bool number_unsigned(number_unsigned_t value) override { return add(value); }
    bool number_float(number_float_t value, const string_t& /*text*/) override { return add(value); }
    bool string(string_t& value) override { return add(std::move(value)); }
    bool binary(binary_t& value) override {
        return add(json::binary(static_cast<binary_t::container_type&&>(value)));
    }
    bool key(string_t& value) override {
        key_ = std::move(value);
        return true;
    }
    bool start_object(std::size_t /*elements*/) override { return open(json::object()); }
    bool end_object() override { return close(); }
    bool start_array(std::size_t /*elements*/) override { return open(json::array()); }
    bool end_array() override { return close(); }
    bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                     const json::exception& /*problem*/) override {
        return false;
    }

  private:
    json& place(json&& value) {
        if (open_.empty()) return root_ = std::move(value);
        auto& container = *open_.back();
        if (container.is_object()) return container[key_] = std::move(value);
        container.push_back(std::move(value));
        return container.back();
    }
    bool add(json&& value) {
        place(std::move(value));
        return true;
    }
    bool open(json&& container) {
        if (open_.size() == max_cbor_depth) return false;
        open_.push_back(&place(std::move(container)));
        return true;
    }
    bool close() {
        open_.pop_back();
        return true;
    }

    json root_;
    std::string key_;
    std::vector<json*> open_;  ///< the containers around the next value; only the last one grows
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
        BoundedBuilder builder;
        if (json::sax_parse(first, last, &builder, json::input_format_t::cbor)) return builder.take();
    } catch (const json::exception&) {
        // A length beyond what a container can hold: refused like the rest.
    }
    throw DataError(refusal);
}

}  // namespace convoy
