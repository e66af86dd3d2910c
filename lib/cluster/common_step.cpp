#include "cluster/common_step.hpp"

#include <algorithm>

namespace convoy {

std::optional<std::int64_t> CommonStep::answer(std::size_t rank, std::int64_t begun_step) {
    begun_.at(rank) = begun_step;
    const auto answered = [](const auto& begun) { return begun.has_value(); };
    if (settled_ || !std::ranges::all_of(begun_, answered)) return std::nullopt;
    settled_ = true;
    return *std::ranges::max_element(begun_);
}

}  // namespace convoy
