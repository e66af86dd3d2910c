#pragma once

#include <algorithm>
#include <cstdint>

namespace convoy {

/// The number of first steps that speeds leave out, but at most a quarter of all steps; the usual trace
/// begins behind them in a long epoch. In the first steps, memory is touched for the first time, and caches,
/// clocks and connections settle.
inline constexpr std::int64_t warm_up_steps = 5;

/// How many first steps of so many a speed leaves out.
constexpr std::int64_t left_out_of(std::int64_t steps) {
    return std::min(warm_up_steps, steps / 4);
}

}  // namespace convoy
