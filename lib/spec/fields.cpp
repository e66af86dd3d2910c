#include "spec/fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/similar_name.hpp"

namespace convoy {

FieldReader::FieldReader(const nlohmann::json& object, Place place)
    : object_(object), place_(std::move(place)) {
    if (!object_.is_object()) place_.refuse(object_, "an object");
}

const nlohmann::json* FieldReader::find(std::string_view key) {
    known_.emplace_back(key);
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
}

void FieldReader::finish() const {
    for (const auto& [key, value] : object_.items()) {
        if (std::ranges::find(known_, key) == known_.end()) refuse_unknown(key);
    }
    if (!missing_.empty()) place_.key(missing_.front().first).missing(missing_.front().second);
}

void FieldReader::refuse_unknown(const std::string& key) const {
    const auto place = place_.key(key);
    if (known_.empty()) place.fail("unknown key, expected none here; remove it");
    const std::vector<std::string_view> names(known_.begin(), known_.end());
    if (const auto name = similar_name(key, names))
        place.fail(fmt::format("unknown key, did you mean \"{}\"?", *name));
    place.fail(fmt::format("unknown key, expected one of {}", fmt::join(known_, ", ")));
}

}  // namespace convoy
