#pragma once

#include <span>
#include <string>

#include "command_form.hpp"

namespace convoy {

/// Options, arguments and help of `convoy plan`.
CommandForm plan_form();

/// convoy plan SPEC [--set FIELD=VALUE]... Prints the plan of a run, without training. Returns the process's
/// exit code; throws Error.
int plan_command(std::span<const std::string> arguments);

}  // namespace convoy
