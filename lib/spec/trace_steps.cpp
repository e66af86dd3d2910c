#include "spec/trace_steps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/warm_up.hpp"

namespace convoy {

TraceStepsSpec trace_steps_of(const ExperimentSpec& spec, std::int64_t steps_of_epoch) {
    if (spec.measure.trace_steps) return *spec.measure.trace_steps;
    TraceStepsSpec usual;
    usual.from = 1 + std::clamp<std::int64_t>(steps_of_epoch - usual.count, 0, warm_up_steps);
    return usual;
}

std::optional<std::string> note_on_trace_steps(const ExperimentSpec& spec, std::int64_t steps_of_epoch,
                                               std::int64_t steps_of_run) {
    const auto& chosen = spec.measure.trace_steps;
    const auto last = std::min(steps_of_epoch, steps_of_run);
    if (!chosen || chosen->count == 0 || chosen->from <= last) return std::nullopt;
    return fmt::format(
        "$.measure.trace_steps.from is {}, and an epoch ends with its step {}: trace.json will "
        "show no step",
        chosen->from, last);
}

}  // namespace convoy
