#include "cluster/interruption.hpp"

#include <algorithm>

namespace convoy {

std::optional<std::int64_t> Interruption::answer(std::size_t rank, std::int64_t begun_step) {
    begun_.at(rank) = begun_step;
    const auto answered = [](const auto& begun) { return begun.has_value(); };
    if (settled_ || !std::ranges::all_of(begun_, answered)) return std::nullopt;
    settled_ = true;
    const auto last_step = std::ranges::max_element(begun_)->value();
    before_first_step_ = signals_ > 0 && last_step == 0;
    return last_step;
}

}  // namespace convoy
