#pragma once

#include <span>
#include <string>

#include "command_form.hpp"

namespace convoy {

/// The form of `convoy top`.
CommandForm top_form();

/// `convoy top RUN`: shows the nodes of a run that is under way as a table, until the run ends. Throws
/// UsageError if the arguments are not in its form, MissingFileError if there is no such run.
int top_command(std::span<const std::string> arguments);

}  // namespace convoy
