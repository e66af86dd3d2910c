#pragma once

#include <filesystem>
#include <span>

#include "report/gnuplot.hpp"
#include "report/gnuplot_script.hpp"
#include "report/plot.hpp"

namespace convoy {

/// The path and the format of a picture.
struct PictureFile {
    std::filesystem::path path;
    ImageFormat format = ImageFormat::svg;
};

/// Finds the format by the ending of a file name: .svg, .png, .pdf, or .tex for TikZ. A name without an
/// ending gets .svg. Throws UsageError for any other ending.
PictureFile picture_file(const std::filesystem::path& name);

/// Draws plots (at least one) into one file. The file is complete or absent. Throws as Gnuplot::draw and
/// write_whole.
void write_picture(std::span<const Plot> plots, const PictureFile& file, const Gnuplot& gnuplot);

}  // namespace convoy
