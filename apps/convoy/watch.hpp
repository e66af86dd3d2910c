#pragma once

#include <span>
#include <string>

namespace convoy {

/// `convoy watch RUN`: follows a run from another terminal. arguments: the words behind the subcommand.
/// Returns the exit code.
int watch_command(std::span<const std::string> arguments);

}  // namespace convoy
