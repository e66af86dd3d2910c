#pragma once

#include <span>
#include <string>

#include "command_form.hpp"

namespace convoy {

/// Options, arguments and help of `convoy bench`.
CommandForm bench_form();

/// convoy bench allreduce --nodes N [--sizes LIST|RANGE] [--json] ... Measures a single part of convoy.
/// Returns the process's exit code; throws Error.
int bench_command(std::span<const std::string> arguments);

}  // namespace convoy
