#pragma once

#include <span>
#include <string>

#include "command_form.hpp"

namespace convoy {

/// Options, arguments and help of `convoy paper`.
CommandForm paper_form();

/// `convoy paper SWEEP --out FOLDER`: writes figures, tables, the methods paragraph and an archive of a
/// sweep that is done. arguments: the words behind `paper`. Returns the exit code; throws Error.
int paper_command(std::span<const std::string> arguments);

}  // namespace convoy
