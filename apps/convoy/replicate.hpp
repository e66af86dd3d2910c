#pragma once

#include <span>
#include <string>

#include "command_form.hpp"

namespace convoy {

/// Options, arguments and help of `convoy replicate`.
CommandForm replicate_form();

/// convoy replicate PUBLISHED --experiment NAME --system NAME=FOLDER --system NAME=FOLDER [--out DIR]
/// Puts published figures beside runs. Returns the exit code; throws Error.
int replicate_command(std::span<const std::string> arguments);

}  // namespace convoy
