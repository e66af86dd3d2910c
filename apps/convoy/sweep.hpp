#pragma once

#include <span>
#include <string>

#include "command_form.hpp"

namespace convoy {

/// Options, arguments and help of `convoy sweep`.
CommandForm sweep_form();

/// convoy sweep SWEEP [--set FIELD=VALUE]... [--out DIR] [--data DIR] [--resume] [--retry-failed] [--list]
/// Runs all experiments of a sweep, one after another. Returns the exit code: that of the first run that
/// failed, if one failed; throws Error.
int sweep_command(std::span<const std::string> arguments);

}  // namespace convoy
