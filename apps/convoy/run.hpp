#pragma once

#include <span>
#include <string>

#include "command_form.hpp"

namespace convoy {

/// Options, arguments and help of `convoy run`.
CommandForm run_form();

/// convoy run SPEC [--set FIELD=VALUE]... [--out DIR] [--data DIR] [--json] [--dry-run]
///     [--listen ADDRESS[:PORT]] [--await N] [--token-file FILE]
/// Trains and writes a run folder. Returns the process's exit code; throws Error.
int run_command(std::span<const std::string> arguments);

}  // namespace convoy
