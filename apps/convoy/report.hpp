#pragma once

#include <span>
#include <string>

namespace convoy {

/// `convoy report RUN... [--table NAME] [--format F] [--bars] [--plot FILE]`: prints tables of finished runs,
/// or draws them. arguments are those behind the word "report". A terminal sees shares as bars, also without
/// --bars. Returns the process's exit code; throws UsageError, MissingFileError, DataError or OutputError.
int report_command(std::span<const std::string> arguments);

/// As report_command. terminal: whether standard output is one.
int report_on(std::span<const std::string> arguments, bool terminal);

}  // namespace convoy
