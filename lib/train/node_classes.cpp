#include "train/node_classes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <variant>

namespace convoy {
namespace {

bool same_but_for_rank(const Operator& one, const Operator& other) {
    if (one == other) return true;
    const auto* shared = std::get_if<SharedBatchNormAttributes>(&other.attributes);
    if (shared == nullptr || !std::holds_alternative<SharedBatchNormAttributes>(one.attributes)) return false;
    auto moved = one;
    std::get<SharedBatchNormAttributes>(moved.attributes).rank = shared->rank;
    return moved == other;
}

bool same_but_for_rank(const Program& one, const Program& other) {
    return one.kind == other.kind && one.averages_over == other.averages_over &&
           one.carries_sums == other.carries_sums && one.batch == other.batch &&
           one.tensors == other.tensors && one.parameters == other.parameters &&
           one.buckets == other.buckets &&
           std::ranges::equal(one.operators, other.operators,
                              [](const auto& a, const auto& b) { return same_but_for_rank(a, b); });
}

/// The programs of a rank's step, and the average of weights where there is one.
std::vector<std::size_t> programs_of(const ProgramSet& programs, std::int64_t rank,
                                     std::int64_t global_examples) {
    auto indices = programs.step(rank, global_examples);
    if (const auto average = programs.average_behind(rank, 0)) indices.push_back(*average);
    return indices;
}

}  // namespace

std::vector<NodeClass> node_classes(const ProgramSet& programs, std::int64_t world_size,
                                    std::int64_t global_examples) {
    const auto same = [&](std::int64_t one, std::int64_t other) {
        return std::ranges::equal(programs_of(programs, one, global_examples),
                                  programs_of(programs, other, global_examples),
                                  [&](std::size_t of_one, std::size_t of_other) {
                                      return same_but_for_rank(programs.of_rank(one).at(of_one),
                                                               programs.of_rank(other).at(of_other));
                                  });
    };
    std::vector<NodeClass> classes;
    for (std::int64_t rank = 0; rank < world_size; ++rank) {
        const auto found = std::ranges::find_if(
            classes, [&](const NodeClass& each) { return same(each.ranks.front(), rank); });
        if (found == classes.end()) {
            classes.push_back({{rank}});
        } else {
            found->ranks.push_back(rank);
        }
    }
    return classes;
}

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
