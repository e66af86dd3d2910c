#pragma once

#include <span>
#include <string>

namespace convoy {

/// convoy plan SPEC [--set KEY=VALUE]... Prints the plan of a run, without training. Returns the process's
/// exit code; throws Error.
int plan_command(std::span<const std::string> arguments);

}  // namespace convoy
