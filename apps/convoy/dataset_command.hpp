#pragma once

#include <span>
#include <string>
#include <vector>

#include "command_form.hpp"

namespace convoy {

/// The names of all known datasets.
std::vector<std::string> dataset_names();

/// Options, arguments and help of `convoy dataset`.
CommandForm dataset_form();

/// `convoy dataset list|verify|fetch|write [NAME or SPEC] [--data DIR]`: arguments: the words behind
/// `dataset`. Prints its results to stdout and progress to stderr. Returns the exit code; throws Error.
int dataset_command(std::span<const std::string> arguments);

}  // namespace convoy
