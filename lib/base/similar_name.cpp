#include "base/similar_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace convoy {
namespace {

constexpr std::size_t longest_compared = 64;

char compared(char letter) {
    if (letter == '-') return '_';
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// The least number of letters to put in, take out or change, or of neighbours to swap (Damerau's distance;
/// no letter is touched twice).
std::size_t distance(std::string_view a, std::string_view b) {
    const auto same = [&](std::size_t i, std::size_t j) { return compared(a[i]) == compared(b[j]); };
    std::vector<std::size_t> before, last, row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        before = std::exchange(last, row);
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            row[j + 1] = std::min({last[j] + (same(i, j) ? 0 : 1), row[j] + 1, last[j + 1] + 1});
            if (i > 0 && j > 0 && same(i, j - 1) && same(i - 1, j))
                row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
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
