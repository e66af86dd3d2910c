#pragma once

#include <span>
#include <string>

namespace convoy {

/// `convoy bench operators SPEC`. Returns the exit code; throws Error.
int bench_operators_command(std::span<const std::string> arguments);

}  // namespace convoy
