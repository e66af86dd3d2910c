#pragma once

#include <nlohmann/json.hpp>
#include <vector>

namespace convoy::test {

/// The content of experiments/schema.json.
const nlohmann::json& schema();

/// A part of the schema, or the definition that it refers to.
const nlohmann::json& resolve(const nlohmann::json& part);

/// Whether a value fits the schema of a property, as far as convoy's schema goes.
bool fits(const nlohmann::json& rule, const nlohmann::json& value);

/// Values to try for a property: some of every kind, and those at the edges that its schema names, on both
/// sides of each.
std::vector<nlohmann::json> probes(const nlohmann::json& rule);

}  // namespace convoy::test
