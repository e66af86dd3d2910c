#include "report/json_differences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

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

/// Null if there is none.
json value_of(const json& leaves, const std::string& pointer) {
    const auto found = leaves.find(pointer);
    return found == leaves.end() ? json() : *found;
}

std::string told(const json& leaves, const std::string& pointer) {
    const auto found = leaves.find(pointer);
    return found == leaves.end() ? "nothing" : describe(*found);
}

}  // namespace

std::vector<std::string> json_differences(const json& a, const json& b,
                                          std::span<const std::string_view> ignored) {
    const auto without = [&](json value) {
        if (value.is_object())
            for (const auto key : ignored) value.erase(std::string(key));
        return value;
    };
    // Scalars and empty containers by their pointers, in order.
    const auto of_a = without(a).flatten();
    const auto of_b = without(b).flatten();
    auto all = of_a;
    all.update(of_b);
    std::vector<std::string> lines;
    for (const auto& [pointer, leaf] : all.items()) {
        if (value_of(of_a, pointer) == value_of(of_b, pointer)) continue;
        lines.push_back(
            fmt::format("{}: {} in A, {} in B", place_of(pointer), told(of_a, pointer), told(of_b, pointer)));
    }
    if (lines.size() > most_lines) {
        const auto more = lines.size() - most_lines;
        lines.resize(most_lines);
        lines.push_back(fmt::format("and {} more", more));
    }
    return lines;
}

}  // namespace convoy
