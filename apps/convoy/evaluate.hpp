#pragma once

#include <span>
#include <string>

#include "command_form.hpp"

namespace convoy {

/// Options, arguments and help of `convoy evaluate`.
CommandForm evaluate_form();

/// convoy evaluate RUN [--data DIR] [--out FILE] [--json] Evaluates a run's weights on its test set. Returns
/// the process's exit code; throws Error.
int evaluate_command(std::span<const std::string> arguments);

}  // namespace convoy
