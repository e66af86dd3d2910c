#include "spec/codecs.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/json_integer.hpp"
#include "base/path_text.hpp"
#include "base/utf8.hpp"

namespace convoy {
namespace {

using nlohmann::json;

/// The JSON number as an integer where it is one and fits, whichever way it is written.
std::optional<std::int64_t> as_integer(const json& found) {
    constexpr double exact_up_to = 0x1p53;
    if (is_integer_of<std::int64_t>(found)) return found.get<std::int64_t>();
    if (!found.is_number_float()) return std::nullopt;
    const auto value = found.get<double>();
    if (!(std::abs(value) < exact_up_to) || value != std::trunc(value)) return std::nullopt;
    return static_cast<std::int64_t>(value);
}

}  // namespace

bool Flag::read(const json& found, const Place& place) const {
    if (!found.is_boolean()) place.refuse(found, expected());
    return found.get<bool>();
}
json Flag::write(bool value) const {
    return value;
}
std::string Flag::expected() const {
    return "true or false";
}

std::int64_t Integer::read(const json& found, const Place& place) const {
    const auto value = as_integer(found);
    if (!value || *value < low || *value > high) place.refuse(found, expected());
    return *value;
}
json Integer::write(std::int64_t value) const {
    return value;
}
std::string Integer::expected() const {
    return fmt::format("an integer in [{}, {}]", low, high);
}

double Number::read(const json& found, const Place& place) const {
    if (!found.is_number()) place.refuse(found, expected());
    const auto value = found.get<double>();
    const bool inside = value >= low && value <= high && !(without_low() && value == low) &&
                        !(without_high() && value == high);
    if (!inside) place.refuse(found, expected());
    return value == 0.0 ? 0.0 : value;  // -0.0 is the same number and must give the same run identity
}
json Number::write(double value) const {
    return value;
}
std::string Number::expected() const {
    return fmt::format("a number in {}{}, {}{}", without_low() ? '(' : '[', low, high,
                       without_high() ? ')' : ']');
}

std::string Identifier::read(const json& found, const Place& place) const {
    if (!found.is_string()) place.refuse(found, expected());
    const auto& text = found.get_ref<const std::string&>();
    if (!rule.allows(text)) place.refuse(found, expected());
    return text;
}
json Identifier::write(const std::string& value) const {
    return value;
}
std::string Identifier::expected() const {
    return rule.expected();
}

std::string FilePath::read(const json& found, const Place& place) const {
    if (!found.is_string()) place.refuse(found, expected());
    const auto& text = found.get_ref<const std::string&>();
    auto path = path_of_text(text).string();
    if (path.empty() || path.size() > 4095 || path.find('\0') != std::string::npos || !is_utf8(text))
        place.refuse(found, expected());
    return path;
}
json FilePath::write(const std::string& value) const {
    return text_of_path(value);
}
std::string FilePath::expected() const {
    return "the path of a file";
}

}  // namespace convoy
