#pragma once

#include <cstdint>

#include "spec/experiment_spec.hpp"

namespace convoy {

/// The length of a run, for its learning-rate schedule.
struct ScheduleSpan {
    std::int64_t steps_per_epoch = 1;
    std::int64_t steps = 1;  ///< of the whole run
    std::int64_t nodes = 1;
};

/// The factor of the optimizer's learning rate in a step (counted from 0).
///
/// In the warm-up of w steps it is base (step + 1) / w. base is 1, or the number of nodes if the schedule
/// scales with nodes (Goyal et al., arXiv:1706.02677, sections 2.1 and 2.2). After the warm-up, with t the
/// step:
///   constant  base
///   step      base factor^floor(t / (every_epochs steps_per_epoch))
///   cosine    base (final_factor + (1 - final_factor) (1 + cos(pi (t - w) / (steps - w))) / 2)
///             (Loshchilov and Hutter, arXiv:1608.03983, equation 5, one period)
double learning_rate_factor(const ScheduleSpec& schedule, const ScheduleSpan& span, std::int64_t step);

}  // namespace convoy
