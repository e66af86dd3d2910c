#include "spec/place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json_text.hpp"

namespace convoy {

Place Place::key(std::string_view name) const {
    const bool plain = !name.empty() && std::ranges::all_of(name, [](char c) {
        return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    });
    Place below = *this;
    below.path_ +=
        plain && name.size() <= 64 ? fmt::format(".{}", name) : fmt::format("[{}]", describe(name));
    return below;
}

Place Place::item(std::size_t position) const {
    Place below = *this;
    below.path_ += fmt::format("[{}]", position);
    return below;
}

void Place::refuse(const nlohmann::json& found, std::string_view expected) const {
    fail(fmt::format("found {}, expected {}", describe(found), expected));
}

void Place::missing(std::string_view expected) const {
    fail(fmt::format("missing, expected {}", expected));
}

void Place::fail(std::string_view message) const {
    throw DataError(fmt::format("{}: {}: {}", source_, path_, message));
}

}  // namespace convoy
