#pragma once

#include <boost/program_options.hpp>
#include <filesystem>

namespace convoy {

/// For commands that follow a run from another terminal (watch, top).

/// OUT of the argument `run`, which may be OUT or OUT.partial.
std::filesystem::path run_folder_given(const boost::program_options::variables_map& given);

/// Throws MissingFileError if there is neither OUT nor OUT.partial, DataError if the marker of OUT.partial is
/// damaged.
void require_run(const std::filesystem::path& run_folder);

/// Whether a process trains the run of this OUT.partial.
bool is_under_way(const std::filesystem::path& partial);

/// Says on standard output how the run ended, and returns the exit code that tells it.
int tell_end(const std::filesystem::path& run_folder);

}  // namespace convoy
