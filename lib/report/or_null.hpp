#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "base/json_integer.hpp"

namespace convoy {

/// A value as JSON; null if it is absent.
template <typename Value>
nlohmann::json or_null(const std::optional<Value>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json();
}

/// The reverse of or_null. Throws as integer_of<Value>() or get<Value>().
template <typename Value>
std::optional<Value> read_or_null(const nlohmann::json& found) {
    if (found.is_null()) return std::nullopt;
    if constexpr (IntegerType<Value>) return integer_of<Value>(found);
    return found.get<Value>();
}

}  // namespace convoy
