#pragma once

#include <span>
#include <string>

#include "command_form.hpp"

namespace convoy {

/// Options, arguments and help of `convoy watch`.
CommandForm watch_form();

/// `convoy watch RUN`: follows a run from another terminal. arguments: the words behind the subcommand.
/// Returns the exit code.
int watch_command(std::span<const std::string> arguments);

}  // namespace convoy
