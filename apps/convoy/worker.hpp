#pragma once

#include <span>
#include <string>

namespace convoy {

/// convoy worker --join HOST:PORT [--interface NAME|ADDRESS|CIDR] [--token-file FILE]
/// The token comes from the file, or else from CONVOY_TOKEN. Returns the process's exit code; throws Error.
int worker_command(std::span<const std::string> arguments);

}  // namespace convoy
