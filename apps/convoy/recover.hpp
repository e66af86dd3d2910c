#pragma once

#include <span>
#include <string>

#include "command_form.hpp"

namespace convoy {

/// Options, arguments and help of `convoy recover`.
CommandForm recover_form();

/// `convoy recover FOLDER`: makes a run folder of what an ended process left in OUT.partial. arguments: the
/// words behind the subcommand. Returns the exit code.
int recover_command(std::span<const std::string> arguments);

}  // namespace convoy
