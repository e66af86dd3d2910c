#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json_text.hpp"
#include "base/path_text.hpp"
#include "base/utf8.hpp"
#include "spec/parse.hpp"

namespace convoy {
namespace {

using nlohmann::json;

constexpr std::size_t deepest_path = 8;

[[noreturn]] void refuse(const std::string& assignment, std::string_view why) {
    throw UsageError(fmt::format("--set {}: {}", describe(assignment), why));
}

std::vector<std::string> split_path(std::string_view path, const std::string& assignment) {
    std::vector<std::string> parts;
    while (true) {
        const auto dot = path.find('.');
        parts.emplace_back(path.substr(0, dot));
        if (parts.back().empty())
            refuse(assignment, "expected FIELD=VALUE, where FIELD is as in strategy.overlap");
        if (parts.size() > deepest_path) refuse(assignment, "no field is nested so deep");
        if (dot == std::string_view::npos) return parts;
        path.remove_prefix(dot + 1);
    }
}

/// JSON where it is JSON, or else the text itself. Only a path can have bytes that are not UTF-8.
json value_of(const std::string& text, const std::string& assignment) {
    try {
        if (!is_utf8(text)) return value_of(text_of_path(text), assignment);
        return json::accept(text) ? parse_json(text, "value") : json(text);
    } catch (const DataError& problem) {
        refuse(assignment, problem.what());
    }
}

json& item_of(json& list, const std::string& part, const std::string& assignment) {
    std::size_t position = 0;
    const auto* end = part.data() + part.size();
    const auto [stop, problem] = std::from_chars(part.data(), end, position);
    if (problem != std::errc{} || stop != end || position >= list.size()) {
        refuse(assignment, fmt::format("\"{}\" is not an index of a list of {}", part, list.size()));
    }
    return list[position];
}

/// What stands below node under the name of part; objects are made where there is nothing yet, and a plain
/// name makes room for its siblings ("adam" becomes {"name": "adam"}).
json& step_into(json& node, const std::string& part, const std::string& assignment) {
    if (node.is_array()) return item_of(node, part, assignment);
    if (node.is_string()) node = {{"name", node}};
    if (!node.is_null() && !node.is_object()) {
        refuse(assignment,
               fmt::format("what holds \"{}\" is {}, not an object or a list", part, describe(node)));
    }
    return node[part];
}

}  // namespace

void apply_override(json& json, const std::string& assignment) {
    const auto equals = assignment.find('=');
    if (equals == std::string::npos) refuse(assignment, "expected FIELD=VALUE, as in strategy.overlap=false");
    const auto path = split_path(std::string_view(assignment).substr(0, equals), assignment);
    auto* node = &json;
    for (const auto& part : path) node = &step_into(*node, part, assignment);
    *node = value_of(assignment.substr(equals + 1), assignment);
}

}  // namespace convoy
