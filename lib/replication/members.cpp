#include "replication/members.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace convoy {

Members::Members(const nlohmann::json& object, Place place) : object_(object), place_(std::move(place)) {
    if (!object.is_object()) place_.refuse(object, "an object");
}

const nlohmann::json* Members::find(std::string_view key) {
    known_.emplace_back(key);
    const auto found = object_.find(std::string(key));
    return found == object_.end() ? nullptr : &*found;
}

bool Members::has(std::string_view key) {
    return find(key) != nullptr;
}

std::string Members::text(std::string_view key) {
    const auto* found = find(key);
    if (found == nullptr) place_.key(key).missing("a text");
    if (!found->is_string() || found->get_ref<const std::string&>().empty())
        place_.key(key).refuse(*found, "a text");
    return found->get<std::string>();
}

std::string Members::text_or(std::string_view key, std::string standard) {
    return has(key) ? text(key) : std::move(standard);
}

std::optional<double> Members::number_if(std::string_view key) {
    const auto* found = find(key);
    if (found == nullptr) return std::nullopt;
    if (!found->is_number()) place_.key(key).refuse(*found, "a number");
    return found->get<double>();
}

double Members::number_or(std::string_view key, double standard) {
    return number_if(key).value_or(standard);
}

bool Members::flag(std::string_view key) {
    const auto* found = find(key);
    if (found == nullptr) return false;
    if (!found->is_boolean()) place_.key(key).refuse(*found, "true or false");
    return found->get<bool>();
}

std::vector<std::string> Members::texts(std::string_view key) {
    return list(key, [](const nlohmann::json& value, const Place& place) {
        if (!value.is_string()) place.refuse(value, "a text");
        return value.get<std::string>();
    });
}

const nlohmann::json* Members::object(std::string_view key) {
    const auto* found = find(key);
    if (found != nullptr && !found->is_object()) place_.key(key).refuse(*found, "an object");
    return found;
}

void Members::check_list(const nlohmann::json& found, std::string_view key) const {
    if (!found.is_array() || found.size() > most_list_values)
        place_.key(key).refuse(found, fmt::format("a list of at most {} values", most_list_values));
}

void Members::finish() const {
    for (const auto& [key, value] : object_.items()) {
        if (std::ranges::count(known_, key) > 0) continue;
        place_.key(key).fail(fmt::format("unknown key, expected one of {}", fmt::join(known_, ", ")));
    }
}

}  // namespace convoy
