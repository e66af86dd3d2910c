#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "command_form.hpp"

namespace convoy {

/// Options, arguments and help of `convoy report`.
CommandForm report_form();

/// `convoy report RUN... [--table NAME] [--format F] [--bars] [--plot FILE]`: prints tables of finished runs,
/// or draws them. arguments: the words behind `report`. On a terminal, shares have bars also without --bars.
/// Returns the process's exit code; throws UsageError, MissingFileError, DataError or OutputError.
int report_command(std::span<const std::string> arguments);

/// As report_command. terminal: the number of characters in a line, if standard output is a terminal.
int report_on(std::span<const std::string> arguments, std::optional<std::size_t> terminal);

}  // namespace convoy
