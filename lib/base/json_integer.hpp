#pragma once

#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace convoy {

template <typename T>
concept IntegerType = std::integral<T> && !std::same_as<T, bool>;

/// Whether a JSON value is an integer that T can hold. The library's get does not ask: it cuts an integer
/// off, and for a number such as 1e64 its behaviour is undefined.
template <IntegerType T>
bool is_integer_of(const nlohmann::json& value) {
    if (value.is_number_unsigned()) return std::in_range<T>(value.get<std::uint64_t>());
    return value.is_number_integer() && std::in_range<T>(value.get<std::int64_t>());
}

/// The integer of a JSON value from outside. Throws nlohmann::json::type_error, as the library's get, if it
/// is none that T can hold.
template <IntegerType T>
T integer_of(const nlohmann::json& value) {
    if (!is_integer_of<T>(value))
        throw nlohmann::json::type_error::create(302, "it is no integer of the type that is asked for",
                                                 &value);
    return value.get<T>();
}

/// The integer of at least 0 in a JSON value from outside; absent if the value is none.
inline std::optional<std::int64_t> count_or_none(const nlohmann::json& value) {
    if (!is_integer_of<std::int64_t>(value) || value < 0) return std::nullopt;
    return value.get<std::int64_t>();
}

}  // namespace convoy
