#include "data/http_fields.hpp"

#include <algorithm>
#include <charconv>

namespace convoy {
namespace {

/// Takes a number off the front of a text. Absent if there is none, or if it is too large.
std::optional<std::uint64_t> take_number(std::string_view& text) {
    std::uint64_t value = 0;
    const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    return value;
}

bool take(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

}  // namespace

std::optional<ContentRange> parse_content_range(std::string_view text) {
    if (!take(text, "bytes ")) return std::nullopt;
    const auto first = take_number(text);
    if (!first || !take(text, "-")) return std::nullopt;
    const auto last = take_number(text);
    if (!last || *last < *first || !take(text, "/")) return std::nullopt;
    if (text == "*") return ContentRange{.first = *first, .last = *last, .total = {}};
    const auto total = take_number(text);
    if (!total || !text.empty() || *total <= *last) return std::nullopt;
    return ContentRange{.first = *first, .last = *last, .total = total};
}

std::string_view strong_etag(std::string_view text) {
    constexpr std::size_t longest = 256;
    const bool is_quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
    if (!is_quoted || text.size() > longest) return {};
    const auto inner = text.substr(1, text.size() - 2);
    const bool is_valid =
        std::ranges::all_of(inner, [](char c) { return c > ' ' && c < '\x7f' && c != '"'; });
    return is_valid ? text : std::string_view{};
}

}  // namespace convoy
