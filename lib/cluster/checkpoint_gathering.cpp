#include "cluster/checkpoint_gathering.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace convoy {

std::optional<std::int64_t> CheckpointGathering::tell(std::size_t rank, std::int64_t step) {
    if (steps_.at(rank)) throw DisagreementError("sent a checkpoint before its last one was kept");
    steps_[rank] = step;
    if (!std::ranges::all_of(steps_, [](const auto& told) { return told.has_value(); })) return std::nullopt;
    const auto first = *steps_.front();
    for (const auto& told : steps_)
        if (*told != first)
            throw DisagreementError(
                fmt::format("sent a checkpoint of step {}, node 0 one of step {}", *told, first));
    std::ranges::fill(steps_, std::optional<std::int64_t>());
    return first;
}

}  // namespace convoy
