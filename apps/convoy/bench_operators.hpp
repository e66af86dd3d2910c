#pragma once

#include <span>
#include <string>

#include "command_form.hpp"

namespace convoy {

/// Options, arguments and help of `convoy bench operators`.
CommandForm bench_operators_form();

/// `convoy bench operators SPEC`. Returns the exit code; throws Error.
int bench_operators_command(std::span<const std::string> arguments);

}  // namespace convoy
