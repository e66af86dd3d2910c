#include "cluster/interruption.hpp"

namespace convoy {

std::optional<std::int64_t> Interruption::answer(std::size_t rank, std::int64_t begun_step) {
    const auto last_step = last_.answer(rank, begun_step);
    if (last_step) before_first_step_ = signals_ > 0 && *last_step == 0;
    return last_step;
}

}  // namespace convoy
