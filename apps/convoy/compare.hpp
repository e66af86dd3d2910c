#pragma once

#include <span>
#include <string>

#include "command_form.hpp"

namespace convoy {

/// Options, arguments and help of `convoy compare`.
CommandForm compare_form();

/// convoy compare RUN_A RUN_B [--table NAME] [--format FORMAT]
/// Prints two runs side by side with the ratios A/B, row by row. Returns the exit code; throws Error.
int compare_command(std::span<const std::string> arguments);

}  // namespace convoy
