#pragma once

#include <span>
#include <string>

namespace convoy {

/// `convoy report RUN... [--table NAME] [--format F] [--bars]`: prints tables of finished runs. arguments are
/// those behind the word "report". Returns the process's exit code; throws UsageError, MissingFileError,
/// DataError or OutputError.
int report_command(std::span<const std::string> arguments);

}  // namespace convoy
