#pragma once

#include <span>
#include <string>

#include "command_form.hpp"

namespace convoy {

/// Options, arguments and help of `convoy init`.
CommandForm init_form();

/// convoy init [FILE] [--images FILE --labels FILE [--test-images FILE --test-labels FILE|--test-fraction F]]
/// Writes a new spec with comments, and never over a file that is there. Returns the process's exit code;
/// throws Error.
int init_command(std::span<const std::string> arguments);

}  // namespace convoy
