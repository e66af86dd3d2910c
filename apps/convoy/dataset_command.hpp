#pragma once

#include <span>
#include <string>

namespace convoy {

/// `convoy dataset list|verify|fetch [NAME] [--data DIR]`: arguments: the words behind `dataset`. Prints its
/// results to stdout and progress to stderr. Returns the exit code; throws Error.
int dataset_command(std::span<const std::string> arguments);

}  // namespace convoy
