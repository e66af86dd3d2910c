#include "train/learning_rate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace convoy {
namespace {

double after_warm_up(const ScheduleSpec& schedule, const ScheduleSpan& span, double step, double warm_up) {
    switch (schedule.name) {
        case ScheduleName::constant: return 1.0;
        case ScheduleName::step: {
            const auto every = static_cast<double>(schedule.every_epochs * span.steps_per_epoch);
            return std::pow(schedule.factor, std::floor(step / every));
        }
        case ScheduleName::cosine: {
            const auto length = std::max(static_cast<double>(span.steps) - warm_up, 1.0);
            const auto wave = (1.0 + std::cos(std::numbers::pi * (step - warm_up) / length)) / 2.0;
            return schedule.final_factor + (1.0 - schedule.final_factor) * wave;
        }
    }
    return 1.0;
}

}  // namespace

double learning_rate_factor(const ScheduleSpec& schedule, const ScheduleSpan& span, std::int64_t step) {
    const double base = schedule.scale_by_nodes ? static_cast<double>(span.nodes) : 1.0;
    const double warm_up = schedule.warm_up_epochs * static_cast<double>(span.steps_per_epoch);
    const auto at = static_cast<double>(step);
    if (at < warm_up) return base * std::min(1.0, (at + 1.0) / warm_up);
    return base * after_warm_up(schedule, span, at, warm_up);
}

}  // namespace convoy
