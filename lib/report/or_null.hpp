#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace convoy {

/// A value as JSON; null if it is absent.
template <typename Value>
nlohmann::json or_null(const std::optional<Value>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json();
}

/// The reverse of or_null. Throws as get<Value>().
template <typename Value>
std::optional<Value> read_or_null(const nlohmann::json& found) {
    return found.is_null() ? std::nullopt : std::optional(found.get<Value>());
}

}  // namespace convoy
