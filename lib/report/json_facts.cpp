#include "report/json_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/json_text.hpp"
#include "base/ranks_text.hpp"
#include "report/columns.hpp"

namespace convoy {

namespace {

std::string value_text(const nlohmann::json& value) {
    return value.is_string() ? value.get<std::string>() : json_text(value);
}

std::string joined_name(const std::string& name, const std::string& key) {
    return name.empty() ? key : fmt::format("{}_{}", name, key);
}

void add_fact(Table& table, const std::string& name, std::string text) {
    table.columns.push_back(columns::words(name));
    table.rows.front().emplace_back(std::move(text));
}

/// Whether a value of an element is its own, also where elements are alike.
bool is_own(const std::string& key) {
    return key == "rank" || key == "pid";
}

/// Elements of a list that are alike, by their positions.
struct AlikeElements {
    nlohmann::json common;  ///< without the values of their own
    std::vector<std::int64_t> positions;
};

std::vector<AlikeElements> grouped(const nlohmann::json& list) {
    std::vector<AlikeElements> groups;
    std::int64_t position = 0;
    for (const auto& element : list) {
        auto common = element;
        if (common.is_object())
            for (const auto* key : {"rank", "pid"}) common.erase(key);
        auto group = std::ranges::find(groups, common, &AlikeElements::common);
        if (group == groups.end()) group = groups.insert(groups.end(), {std::move(common), {}});
        group->positions.push_back(position++);
    }
    return groups;
}

/// The values of one key, of several elements.
std::string values_text(const nlohmann::json& list, const AlikeElements& group, const std::string& key) {
    std::string text;
    for (const auto position : group.positions)
        text += (text.empty() ? "" : ", ") + value_text(list.at(static_cast<std::size_t>(position)).at(key));
    return text;
}

void add_facts(Table& table, const std::string& name, const nlohmann::json& value);

void add_list(Table& table, const std::string& name, const nlohmann::json& list) {
    for (const auto& group : grouped(list)) {
        const auto& first = list.at(static_cast<std::size_t>(group.positions.front()));
        const auto element = joined_name(name, numbers_text(group.positions));
        if (group.positions.size() == 1 || !first.is_object()) {
            add_facts(table, element, first);
            continue;
        }
        for (const auto& [key, part] : first.items()) {
            if (is_own(key) && std::ranges::all_of(group.positions, [&, own = key](std::int64_t position) {
                    return list.at(static_cast<std::size_t>(position)).contains(own);
                })) {
                add_fact(table, joined_name(element, key), values_text(list, group, key));
            } else {
                add_facts(table, joined_name(element, key), part);
            }
        }
    }
}

void add_facts(Table& table, const std::string& name, const nlohmann::json& value) {
    const bool plain = std::ranges::none_of(value, [](const auto& part) { return part.is_structured(); });
    if (value.is_object()) {
        for (const auto& [key, part] : value.items()) add_facts(table, joined_name(name, key), part);
    } else if (value.is_array() && !plain) {
        add_list(table, name, value);
    } else if (value.is_array()) {
        std::string text;
        for (const auto& part : value) text += (text.empty() ? "" : ", ") + value_text(part);
        add_fact(table, name, std::move(text));
    } else {
        add_fact(table, name, value_text(value));
    }
}

}  // namespace

Table facts_of_json(std::string title, const std::string& text) {
    Table table{.name = "facts", .title = std::move(title), .columns = {}, .rows = {{}}};
    add_facts(table, "", json_or_null(text));
    return table;
}

}  // namespace convoy
