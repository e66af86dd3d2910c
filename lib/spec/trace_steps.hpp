#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "spec/experiment_spec.hpp"

namespace convoy {

/// The steps that trace.json shows of an epoch of so many steps. Where the spec does not choose them: the 20
/// steps behind the first five, which are slower, since they touch memory for the first time; the last 20 of
/// an epoch of fewer than 25; all of an epoch of at most 20.
TraceStepsSpec trace_steps_of(const ExperimentSpec& spec, std::int64_t steps_of_epoch);

/// A line for the user if the spec traces steps that no epoch has. steps_of_run: of all epochs together.
std::optional<std::string> note_on_trace_steps(const ExperimentSpec& spec, std::int64_t steps_of_epoch,
                                               std::int64_t steps_of_run);

}  // namespace convoy
