#pragma once

#include <span>
#include <string>

#include "command_form.hpp"

namespace convoy {

/// Options, arguments and help of `convoy sweep`.
CommandForm sweep_form();

/// convoy sweep SWEEP... [options]
///
/// Runs all experiments of one or several sweeps, one after another. Returns the exit code: that of the first
/// run that failed, if one failed; throws Error.
int sweep_command(std::span<const std::string> arguments);

}  // namespace convoy
