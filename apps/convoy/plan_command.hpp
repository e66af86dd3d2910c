#pragma once

#include <span>
#include <string>

namespace convoy {

/// convoy plan SPEC [--set KEY=VALUE]...
/// What a run would do. Returns the process's exit code; throws Error.
int plan_command(std::span<const std::string> arguments);

}  // namespace convoy
