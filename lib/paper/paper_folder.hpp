#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/gnuplot.hpp"

namespace convoy {

/// Writes what a paper needs of a sweep into a folder (ARCHIVE.md): figures/*.pdf, tables/*.tex, methods.tex,
/// methods.md and the archive. The folder must not exist. Returns the paths of the files. Throws UsageError
/// if the folder exists or the archive exceeds a bound, OutputError if it cannot be written, and as
/// settled_sweep and Gnuplot::draw.
std::vector<std::filesystem::path> write_paper(const std::filesystem::path& sweep_folder,
                                               const std::filesystem::path& folder, const Gnuplot& gnuplot);

}  // namespace convoy
