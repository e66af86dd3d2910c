#include "spec/fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace convoy {
namespace {

/// How many letters must be put in, taken out or changed to make one word of the other (Levenshtein's
/// distance).
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

}  // namespace

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
    constexpr std::size_t longest_compared = 64;
    const auto place = place_.key(key);
    if (known_.empty()) place.fail("unknown key, expected none here; remove it");
    const auto word = std::string_view(key).substr(0, longest_compared);
    const auto nearest =
        std::ranges::min(known_, {}, [&](const auto& known) { return distance(word, known); });
    if (distance(word, nearest) <= std::max<std::size_t>(1, nearest.size() / 3)) {
        place.fail(fmt::format("unknown key, did you mean \"{}\"?", nearest));
    }
    place.fail(fmt::format("unknown key, expected one of {}", fmt::join(known_, ", ")));
}

}  // namespace convoy
