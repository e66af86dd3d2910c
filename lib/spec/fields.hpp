#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "spec/place.hpp"

/// A struct of the spec declares its fields once, in a function `declare(fields, value)`: each line is a key,
/// the member and a codec. The same lines read (FieldReader), write (FieldWriter) and know which keys there
/// are. Included only by the sources of lib/spec.
namespace convoy {

/// Reads the fields of one JSON object into a value that holds the defaults.
class FieldReader {
  public:
    static constexpr bool reads = true;

    /// object must outlive the reader. Throws DataError, which names the place, if it is not an object.
    FieldReader(const nlohmann::json& object, Place place);

    /// A field that keeps its default if it is absent.
    template <typename T, typename Codec>
    void field(std::string_view key, T& value, const Codec& codec) {
        if (const auto* found = find(key)) value = static_cast<T>(codec.read(*found, place_.key(key)));
    }
    /// A field without a default. finish() reports a missing field, after unknown keys, which may be a
    /// misspelling of it.
    template <typename T, typename Codec>
    void required(std::string_view key, T& value, const Codec& codec) {
        field(key, value, codec);
        if (!object_.contains(key)) missing_.emplace_back(key, codec.expected());
    }
    /// A required field that decides which other fields exist.
    template <typename T, typename Codec>
    void tag(std::string_view key, T& value, const Codec& codec) {
        if (!object_.contains(key)) place_.key(key).missing(codec.expected());
        field(key, value, codec);
    }
    /// Whether the object has this key. It is for keys that decide which other fields exist.
    [[nodiscard]] bool has(std::string_view key) const { return object_.contains(key); }
    /// A text for other programs; its value is not used.
    void ignored(std::string_view key) {
        if (const auto* found = find(key); found != nullptr && !found->is_string()) {
            place_.key(key).refuse(*found, "a text");
        }
    }
    /// Throws DataError for the first unknown key (and names the most similar known key), or else for a
    /// missing field.
    void finish() const;

  private:
    const nlohmann::json* find(std::string_view key);
    [[noreturn]] void refuse_unknown(const std::string& key) const;

    const nlohmann::json& object_;
    Place place_;
    std::vector<std::string> known_;
    std::vector<std::pair<std::string, std::string>> missing_;  // key, what was expected
};

/// Writes the fields of one value as a JSON object.
class FieldWriter {
  public:
    static constexpr bool reads = false;

    template <typename T, typename Codec>
    void field(std::string_view key, const T& value, const Codec& codec) {
        object_[std::string(key)] = codec.write(value);
    }
    template <typename T, typename Codec>
    void required(std::string_view key, const T& value, const Codec& codec) {
        field(key, value, codec);
    }
    template <typename T, typename Codec>
    void tag(std::string_view key, const T& value, const Codec& codec) {
        field(key, value, codec);
    }
    void ignored(std::string_view /*key*/) {}
    [[nodiscard]] nlohmann::json take() { return std::move(object_); }

  private:
    nlohmann::json object_ = nlohmann::json::object();
};

/// The codec of a struct that declares its fields.
template <typename T>
struct Section {
    std::string_view shorthand = {};  ///< the key that a plain string sets; empty: none

    [[nodiscard]] T read(const nlohmann::json& found, const Place& place) const {
        if (found.is_string() && !shorthand.empty()) return read({{std::string(shorthand), found}}, place);
        if (!found.is_object()) place.refuse(found, expected());
        FieldReader fields(found, place);
        T value{};
        declare(fields, value);
        fields.finish();
        return value;
    }
    [[nodiscard]] nlohmann::json write(T value) const {
        FieldWriter fields;
        declare(fields, value);
        return fields.take();
    }
    [[nodiscard]] std::string expected() const {
        return shorthand.empty() ? "an object" : "a name or an object";
    }
};

}  // namespace convoy
