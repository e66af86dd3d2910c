#pragma once

#include <span>
#include <string>

namespace convoy {

/// `convoy dataset list|verify|fetch [NAME] [--data DIR]`: arguments are what follows `dataset`. Prints what
/// it found to stdout and progress to stderr. Returns the exit code; throws the Error of what went wrong.
int dataset_command(std::span<const std::string> arguments);

}  // namespace convoy
