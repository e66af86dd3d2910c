#include "bench/message_sizes.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

#include "base/error.hpp"

namespace convoy {
namespace {

constexpr std::int64_t element = 4;
constexpr std::int64_t largest_bytes = std::int64_t{16} << 30;
constexpr std::array<std::pair<char, std::int64_t>, 3> suffixes{
    {{'G', std::int64_t{1} << 30}, {'M', std::int64_t{1} << 20}, {'K', std::int64_t{1} << 10}}};

std::int64_t parse_size(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const auto rest = text.substr(static_cast<std::size_t>(end - text.data()));
    std::int64_t unit = rest.empty() ? 1 : 0;
    for (const auto& [letter, bytes] : suffixes) {
        if (rest.size() == 1 && rest[0] == letter) unit = bytes;
    }
    if (error != std::errc{} || unit == 0 || value < 1 || value > largest_bytes / unit ||
        value * unit % element != 0) {
        throw UsageError(fmt::format(
            "\"{}\" is not a size; expected a multiple of 4 bytes up to 16G, as 4096 or 64K", text));
    }
    return value * unit;
}

std::vector<std::int64_t> parse_range(std::string_view first, std::string_view last, std::int64_t factor) {
    const auto high = parse_size(last);
    std::vector<std::int64_t> sizes;
    auto size = parse_size(first);
    if (size > high) throw UsageError(fmt::format("the range {}..{} is empty", first, last));
    for (sizes.push_back(size); size <= high / factor; sizes.push_back(size)) size *= factor;
    return sizes;
}

}  // namespace

std::vector<std::int64_t> parse_sizes(std::string_view text, std::int64_t factor) {
    if (factor < 2 || factor > largest_bytes)
        throw UsageError(fmt::format("a factor of {}; expected 2 to {}", factor, largest_bytes));
    if (const auto dots = text.find(".."); dots != std::string_view::npos)
        return parse_range(text.substr(0, dots), text.substr(dots + 2), factor);
    std::vector<std::int64_t> sizes;
    for (auto rest = text;;) {
        const auto comma = rest.find(',');
        sizes.push_back(parse_size(rest.substr(0, comma)));
        if (comma == std::string_view::npos) return sizes;
        rest.remove_prefix(comma + 1);
    }
}

std::string size_text(std::int64_t bytes) {
    for (const auto& [letter, unit] : suffixes) {
        if (bytes >= unit && bytes % unit == 0) return fmt::format("{}{}", bytes / unit, letter);
    }
    return std::to_string(bytes);
}

}  // namespace convoy
