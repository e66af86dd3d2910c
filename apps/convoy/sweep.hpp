#pragma once

#include <span>
#include <string>

namespace convoy {

/// convoy sweep SWEEP [--set KEY=VALUE]... [--out DIR] [--data DIR] [--resume] [--retry-failed] [--list] Runs
/// all experiments of a sweep, one after another. Returns the exit code: that of the first run that failed,
/// if one failed; throws Error.
int sweep_command(std::span<const std::string> arguments);

}  // namespace convoy
