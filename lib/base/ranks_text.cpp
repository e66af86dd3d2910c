#include "base/ranks_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace convoy {

std::string numbers_text(const std::vector<std::int64_t>& numbers) {
    std::vector<std::string> runs;
    for (std::size_t first = 0; first < numbers.size();) {
        auto last = first;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
        runs.push_back(first == last ? fmt::format("{}", numbers[first])
                                     : fmt::format("{} to {}", numbers[first], numbers[last]));
        first = last + 1;
    }
    return fmt::format("{}", fmt::join(runs, ", "));
}

std::string ranks_text(const std::vector<std::int64_t>& ranks) {
    return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", numbers_text(ranks));
}

}  // namespace convoy
