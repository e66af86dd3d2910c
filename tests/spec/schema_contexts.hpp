#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace convoy::test {

/// An object of the schema, where it stands in a spec, and the least spec that has it there.
struct Context {
    std::string definition;  ///< "" for the root
    nlohmann::json::json_pointer where;
    nlohmann::json spec;

    [[nodiscard]] const nlohmann::json& object_schema() const;
    [[nodiscard]] nlohmann::json with(const std::string& key, const nlohmann::json& value) const;
    [[nodiscard]] nlohmann::json without(const std::string& key) const;
};

/// Every object of the schema.
std::vector<Context> contexts();

}  // namespace convoy::test
