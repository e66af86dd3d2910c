#pragma once

#include <span>
#include <string>

#include "command_form.hpp"

namespace convoy {

/// Options, arguments and help of `convoy reproduce`.
CommandForm reproduce_form();

/// `convoy reproduce ARCHIVE`: runs the sweep of an archive again, and compares. arguments: the words behind
/// `reproduce`. Returns the exit code: `disagreement` if a result is not the same; throws Error.
int reproduce_command(std::span<const std::string> arguments);

}  // namespace convoy
