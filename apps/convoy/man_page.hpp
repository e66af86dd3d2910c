#pragma once

#include <span>
#include <string>

#include "command_form.hpp"

namespace convoy {

/// The name of the manual page of a subcommand: convoy-bench-operators.
std::string man_page_name(const CommandForm& form);

/// The manual page of a subcommand, in the language of man(7).
std::string man_page(const CommandForm& form);

/// The manual page of convoy itself: its subcommands and exit codes.
std::string man_page(std::span<const CommandForm> forms);

}  // namespace convoy
