#include "cluster/restarts.hpp"

#include <algorithm>

namespace convoy {

using namespace std::chrono_literals;

namespace {

constexpr std::int64_t most_doublings = 6;

}  // namespace

std::optional<Clock::duration> Restarts::next(std::int64_t from_step) {
    if (from_step > from_step_) number_ = 0;
    from_step_ = std::max(from_step_, from_step);
    if (number_ == most_) return std::nullopt;
    ++number_;
    if (number_ == 1) return 0s;
    const auto doublings = std::min(number_ - 2, most_doublings);
    return std::min<Clock::duration>(1s * (std::int64_t{1} << doublings), 60s);
}

}  // namespace convoy
