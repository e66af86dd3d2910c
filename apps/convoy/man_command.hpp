#pragma once

#include <span>
#include <string>

#include "command_form.hpp"

namespace convoy {

/// Options, arguments and help of `convoy man`.
CommandForm man_form();

/// convoy man [SUBCOMMAND] [--out DIR]: prints a manual page, or writes all pages into a folder. Returns the
/// process's exit code; throws Error.
int man_command(std::span<const std::string> arguments);

}  // namespace convoy
