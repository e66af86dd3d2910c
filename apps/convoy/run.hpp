#pragma once

#include <span>
#include <string>

namespace convoy {

/// convoy run SPEC [--set KEY=VALUE]... [--out DIR] [--data DIR] [--json] [--dry-run]
///     [--listen ADDRESS[:PORT]] [--await N] [--token-file FILE]
/// Trains and writes a run folder. Returns the process's exit code; throws Error.
int run_command(std::span<const std::string> arguments);

}  // namespace convoy
