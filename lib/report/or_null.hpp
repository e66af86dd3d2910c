#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace convoy {

/// A value as JSON; null if it is absent.
template <typename Value>
nlohmann::json or_null(const std::optional<Value>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json();
}

}  // namespace convoy
