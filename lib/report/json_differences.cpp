#include "report/json_differences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/json_text.hpp"

namespace convoy {
namespace {

using nlohmann::json;

constexpr std::size_t most_lines = 20;

/// "/strategy/servers" as "$.strategy.servers".
std::string place_of(std::string pointer) {
    std::ranges::replace(pointer, '/', '.');
    return "$" + pointer;
}

/// Scalars and empty containers by their pointers.
std::map<std::string, json> leaves(const json& value) {
    std::map<std::string, json> found;
    const auto flat = value.flatten();
    for (const auto& [pointer, leaf] : flat.items()) found[pointer] = leaf;
    return found;
}

std::string told(const std::optional<json>& value) {
    return value ? describe(*value) : "nothing";
}

}  // namespace

std::vector<std::string> json_differences(const json& a, const json& b,
                                          std::span<const std::string_view> ignored) {
    const auto without = [&](json value) {
        if (value.is_object())
            for (const auto key : ignored) value.erase(std::string(key));
        return value;
    };
    const auto of_a = leaves(without(a));
    const auto of_b = leaves(without(b));
    const auto at = [](const auto& all, const std::string& pointer) {
        const auto found = all.find(pointer);
        return found == all.end() ? std::nullopt : std::optional(found->second);
    };
    std::map<std::string, json> all(of_a.begin(), of_a.end());
    all.insert(of_b.begin(), of_b.end());
    std::vector<std::string> lines;
    for (const auto& [pointer, ignored_value] : all) {
        const auto in_a = at(of_a, pointer);
        const auto in_b = at(of_b, pointer);
        if (in_a != in_b)
            lines.push_back(fmt::format("{}: {} in A, {} in B", place_of(pointer), told(in_a), told(in_b)));
    }
    if (lines.size() > most_lines) {
        const auto more = lines.size() - most_lines;
        lines.resize(most_lines);
        lines.push_back(fmt::format("and {} more", more));
    }
    return lines;
}

}  // namespace convoy
