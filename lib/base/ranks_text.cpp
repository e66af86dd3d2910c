#include "base/ranks_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace convoy {

std::string ranks_text(const std::vector<std::int64_t>& ranks) {
    std::vector<std::string> runs;
    for (std::size_t first = 0; first < ranks.size();) {
        auto last = first;
        while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
        runs.push_back(first == last ? fmt::format("{}", ranks[first])
                                     : fmt::format("{} to {}", ranks[first], ranks[last]));
        first = last + 1;
    }
    return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(runs, ", "));
}

}  // namespace convoy
