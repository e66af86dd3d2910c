#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/json_integer.hpp"

namespace convoy {

/// The reverse of JsonFields::bytes_or_null.
inline nlohmann::json bytes_json(const std::optional<std::uint64_t>& bytes) {
    return bytes ? nlohmann::json(*bytes) : nlohmann::json();
}

/// Reads the fields of one record, one after the other, from a JSON list that came from outside. For .cpp
/// files only. Each call throws a DataError that names record and field, if the next value is not of the
/// expected kind.
class JsonFields {
  public:
    /// where names the record in errors, as in "operators[3]". The list must have exactly count values.
    JsonFields(const nlohmann::json& list, std::string where, std::size_t count)
        : list_(list), where_(std::move(where)) {
        if (!list.is_array() || list.size() != count) {
            throw DataError(fmt::format("records: {}: expected a list of {} values", where_, count));
        }
    }

    /// An integer of at least 0.
    std::int64_t count(std::string_view field) {
        const auto found = count_or_none(next());
        if (!found) fail(field, "an integer of at least 0");
        return *found;
    }

    std::uint64_t bytes(std::string_view field) { return static_cast<std::uint64_t>(count(field)); }

    /// A number of bytes; absent if it is null.
    std::optional<std::uint64_t> bytes_or_null(std::string_view field) {
        return skip_null() ? std::nullopt : std::optional(bytes(field));
    }

    /// Any number, NaN too: a diverging loss is a finding.
    double number(std::string_view field) {
        const auto& value = next();
        if (!value.is_number()) fail(field, "a number");
        return value.get<double>();
    }

    /// A number of at least 0, finite.
    double amount(std::string_view field) {
        const double value = number(field);
        if (!(value >= 0.0 && value <= 1e300)) fail(field, "a finite number of at least 0");
        return value;
    }

    std::string text(std::string_view field) {
        const auto& value = next();
        if (!value.is_string() || value.get_ref<const std::string&>().size() > max_text_bytes) {
            fail(field, "text of at most 1000 bytes");
        }
        return value.get<std::string>();
    }

    std::optional<std::string> optional_text(std::string_view field) {
        if (!skip_null()) return text(field);
        return std::nullopt;
    }

    /// Skips the next value if it is null. Returns whether it did.
    bool skip_null() {
        if (!list_[next_].is_null()) return false;
        ++next_;
        return true;
    }

    const nlohmann::json& next() { return list_[next_++]; }
    [[nodiscard]] const std::string& where() const { return where_; }

    [[noreturn]] void fail(std::string_view field, std::string_view expected) const {
        throw DataError(fmt::format("records: {}: {}: expected {}", where_, field, expected));
    }

  private:
    static constexpr std::size_t max_text_bytes = 1000;

    const nlohmann::json& list_;
    std::string where_;
    std::size_t next_ = 0;
};

}  // namespace convoy
