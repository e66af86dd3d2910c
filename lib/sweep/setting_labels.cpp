#include "sweep/setting_labels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/json_integer.hpp"
#include "base/json_text.hpp"

namespace convoy {

namespace {

using nlohmann::json;

/// The parts of one label, as "local_sgd" and "every 8".
using Parts = std::vector<std::string>;

std::string with_spaces(std::string_view key) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> shorter{
        {{"average_every", "every"},
         {"batch_size", "batch"},
         {"micro_batch_size", "micro-batch"},
         {"learning_rate", "rate"}}};
    for (const auto& [name, word] : shorter)
        if (key == name) return std::string(word);
    std::string words(key);
    std::ranges::replace(words, '_', ' ');
    return words;
}

/// 65536 as "64 KiB"; "1000 bytes" if it is no whole number of KiB.
std::string bytes_text(const json& value) {
    if (!is_integer_of<std::int64_t>(value)) return json_text(value) + " bytes";
    auto bytes = value.get<std::int64_t>();
    constexpr std::array<const char*, 4> units{"bytes", "KiB", "MiB", "GiB"};
    std::size_t unit = 0;
    for (; bytes != 0 && bytes % 1024 == 0 && unit + 1 < units.size(); ++unit) bytes /= 1024;
    return fmt::format("{} {}", bytes, units[unit]);
}

/// "batch 48", "bucket 64 KiB", "link 100 Mbit/s".
std::string number_part(std::string_view key, const json& value) {
    constexpr std::string_view bytes = "_bytes";
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> units{
        {{"_mbit", "Mbit/s"}, {"_mb", "MB"}, {"_s", "s"}}};
    if (key.ends_with(bytes))
        return fmt::format("{} {}", with_spaces(key.substr(0, key.size() - bytes.size())), bytes_text(value));
    for (const auto& [ending, unit] : units) {
        if (key.ends_with(ending))
            return fmt::format("{} {} {}", with_spaces(key.substr(0, key.size() - ending.size())),
                               json_text(value), unit);
    }
    if (key == "nodes") return fmt::format("{} {}", json_text(value), value == 1 ? "node" : "nodes");
    return fmt::format("{} {}", with_spaces(key), json_text(value));
}

void add_parts(Parts& parts, std::string_view key, const json& value) {
    if (value.is_object()) {
        if (const auto name = value.find("name"); name != value.end() && name->is_string())
            parts.push_back(name->get<std::string>());
        for (const auto& [inner, part] : value.items())
            if (inner != "name" || !part.is_string()) add_parts(parts, inner, part);
    } else if (value.is_string()) {
        parts.push_back(value.get<std::string>());
    } else if (value.is_number()) {
        parts.push_back(number_part(key, value));
    } else if (value.is_array()) {
        parts.push_back(fmt::format("{} {}", with_spaces(key), json_text(value)));
    } else {
        // Without a bound of its staleness, a worker may be any number of steps ahead.
        const bool any = value.is_null() && key == "staleness";
        const bool without = value.is_null() || !value.get<bool>();
        parts.push_back((any ? "any " : without ? "no " : "") + with_spaces(key));
    }
}

std::string_view last_key(std::string_view field) {
    return field.substr(field.rfind('.') + 1);  // npos + 1 is 0
}

Parts parts_of(std::string_view field, const std::string& text) {
    Parts parts;
    add_parts(parts, last_key(field), value_of_setting(text));
    return parts;
}

/// Removes the parts that all values share, unless a value has no other.
void drop_common(std::vector<Parts>& all) {
    if (all.size() < 2) return;
    auto common = all.front();
    for (const auto& parts : all)
        std::erase_if(common, [&](const auto& part) { return std::ranges::count(parts, part) != 1; });
    const auto is_common = [&](const std::string& part) {
        return std::ranges::find(common, part) != common.end();
    };
    if (std::ranges::any_of(all, [&](const auto& parts) { return std::ranges::all_of(parts, is_common); }))
        return;
    for (auto& parts : all) std::erase_if(parts, is_common);
}

}  // namespace

json value_of_setting(const std::string& text) {
    try {
        return parse_json(text, "a setting");
    } catch (const DataError&) {
        return text;
    }
}

std::vector<std::string> setting_labels(std::string_view field, std::span<const std::string> values) {
    std::vector<Parts> all;
    for (const auto& value : values) all.push_back(parts_of(field, value));
    drop_common(all);
    std::vector<std::string> labels;
    for (const auto& parts : all) labels.push_back(fmt::format("{}", fmt::join(parts, ", ")));
    const std::set<std::string> distinct_values(values.begin(), values.end());
    const std::set<std::string> distinct_labels(labels.begin(), labels.end());
    if (distinct_labels.size() < distinct_values.size() || distinct_labels.contains(""))
        return {values.begin(), values.end()};
    return labels;
}

std::string field_words(std::string_view field) {
    std::string words(last_key(field));
    std::ranges::replace(words, '_', ' ');
    return words;
}

}  // namespace convoy
