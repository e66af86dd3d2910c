#include "base/similar_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace convoy {
namespace {

constexpr std::size_t longest_compared = 64;

char compared(char letter) {
    if (letter == '-') return '_';
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t changed = diagonal + (compared(a[i]) == compared(b[j]) ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

}  // namespace

std::optional<std::string_view> similar_name(std::string_view word,
                                             std::span<const std::string_view> candidates) {
    if (candidates.empty()) return std::nullopt;
    const auto begin = word.substr(0, longest_compared);
    const auto nearest =
        std::ranges::min(candidates, {}, [&](std::string_view name) { return distance(begin, name); });
    if (distance(begin, nearest) > std::max<std::size_t>(1, nearest.size() / 3)) return std::nullopt;
    return nearest;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
    const auto name = similar_name(word, candidates);
    return name ? fmt::format(" (did you mean \"{}\"?)", *name) : "";
}

}  // namespace convoy
