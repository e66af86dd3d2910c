#include "spec/schema_rules.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <regex>
#include <string>

#include "base/files.hpp"

namespace convoy::test {

using nlohmann::json;

const json& schema() {
    static const json loaded =
        json::parse(read_text(std::filesystem::path(CONVOY_EXPERIMENTS) / "schema.json"));
    return loaded;
}

const json& resolve(const json& part) {
    if (!part.contains("$ref")) return part;
    return schema().at(json::json_pointer(part["$ref"].get<std::string>().substr(1)));
}

bool fits(const json& rule, const json& value) {
    const auto& part = resolve(rule);
    if (part.contains("oneOf")) {
        return std::ranges::count_if(part["oneOf"],
                                     [&](const json& option) { return fits(option, value); }) == 1;
    }
    if (part.contains("const")) return part["const"] == value;
    if (part.contains("not") && fits(part["not"], value)) return false;
    if (part.contains("enum")) return std::ranges::find(part["enum"], value) != part["enum"].end();
    const auto is = [&value](const std::string& type) {
        if (type == "integer")
            return value.is_number() && value.get<double>() == std::trunc(value.get<double>());
        if (type == "number") return value.is_number();
        return type == value.type_name();
    };
    const auto& types = part.at("type");
    const bool known = types.is_array() ? std::ranges::any_of(types, is) : is(types);
    if (!known) return false;
    if (value.is_number()) {
        return value >= part.value("minimum", json(-1e300)) && value <= part.value("maximum", json(1e300)) &&
               value > part.value("exclusiveMinimum", json(-1e300)) &&
               value < part.value("exclusiveMaximum", json(1e300));
    }
    if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        return text.size() >= part.value("minLength", 0U) &&
               text.size() <= part.value("maxLength", SIZE_MAX) &&
               (!part.contains("pattern") ||
                std::regex_search(text, std::regex(part["pattern"].get<std::string>())));
    }
    if (value.is_array()) {
        return value.size() >= part.value("minItems", 0U) &&
               value.size() <= part.value("maxItems", SIZE_MAX) &&
               std::ranges::all_of(value, [&](const json& item) { return fits(part["items"], item); });
    }
    if (value.is_object() && part.at("additionalProperties").is_object()) {
        return value.size() >= part["minProperties"] && value.size() <= part["maxProperties"] &&
               std::ranges::all_of(value.items(), [&](const auto& item) {
                   return fits(part["propertyNames"], item.key()) &&
                          fits(part["additionalProperties"], item.value());
               });
    }
    if (value.is_object()) {
        const auto required = part.value("required", json::array());
        return std::ranges::all_of(required, [&](const json& key) { return value.contains(key); }) &&
               std::ranges::all_of(value.items(), [&](const auto& item) {
                   return part["properties"].contains(item.key()) &&
                          fits(part["properties"][item.key()], item.value());
               });
    }
    return true;
}

namespace {

/// Adds the values at the edges of one part of a property's schema, on both sides of each.
void add_edges(const json& rule, std::vector<json>& values) {
    const auto& part = resolve(rule);
    for (const auto& option : part.value("oneOf", json::array())) add_edges(option, values);
    for (const auto& value : part.value("enum", json::array())) values.push_back(value);
    for (const auto& value : part.value("examples", json::array())) values.push_back(value);
    if (part.contains("const")) values.push_back(part["const"]);
    if (part.contains("default")) values.push_back(part["default"]);
    for (const auto* bound : {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}) {
        if (!part.contains(bound)) continue;
        if (part["type"].dump().find("number") != std::string::npos) {
            const double edge = part[bound];
            for (const double value : {edge, std::nextafter(edge, -1e300), std::nextafter(edge, 1e300)}) {
                values.emplace_back(value);
            }
        } else {
            const std::int64_t edge = part[bound];
            for (const std::int64_t value : {edge, edge - 1, edge + 1}) values.emplace_back(value);
            values.emplace_back(static_cast<double>(edge) + 0.5);
        }
    }
    if (part.contains("maxLength")) {
        const std::size_t longest = part["maxLength"];
        values.emplace_back(std::string(longest, 'a'));
        values.emplace_back(std::string(longest + 1, 'a'));
    }
    if (part.value("type", json()) == "array") {
        const auto item = part["items"].contains("type") ? json(2) : json::object({{"type", "flatten"}});
        const std::size_t most = part["maxItems"];
        for (const auto size : {std::size_t{0}, most - 1, most, most + 1}) values.push_back(json(size, item));
    }
}

}  // namespace

std::vector<json> probes(const json& rule) {
    std::vector<json> values{nullptr,
                             true,
                             false,
                             0,
                             1,
                             -1,
                             2,
                             0.5,
                             "",
                             "a",
                             "a-b",
                             "a_b",
                             "a.b",
                             "A1",
                             "1",
                             "-a",
                             ".a",
                             "_a",
                             "a/b",
                             "a b",
                             "a\n",
                             "..",
                             "inline",
                             "auto",
                             json::array(),
                             json::object(),
                             1e300,
                             json::array({1}),
                             {{"no_such_key", 1}},
                             "no_such_name",
                             18446744073709551615U};
    add_edges(rule, values);
    return values;
}

}  // namespace convoy::test
