#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "measure/contention.hpp"

namespace convoy {

/// An object with a key for each field; null for what is absent.
nlohmann::json contention_to_json(const Contention& contention);

/// Reads such an object, which came from outside. Throws DataError that names `where` and the field.
Contention contention_from_json(const nlohmann::json& json, const std::string& where);

}  // namespace convoy
