#pragma once

#include <span>
#include <string>

#include "command_form.hpp"

namespace convoy {

/// Options, arguments and help of `convoy completion`.
CommandForm completion_form();

/// convoy completion bash|zsh|fish: prints the script with which a shell completes convoy's command lines.
/// Returns the process's exit code; throws Error.
int completion_command(std::span<const std::string> arguments);

}  // namespace convoy
