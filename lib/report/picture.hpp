#pragma once

#include <filesystem>
#include <span>

#include "report/gnuplot.hpp"
#include "report/gnuplot_script.hpp"
#include "report/plot.hpp"

namespace convoy {

/// Where a picture goes and what it is, by the name that a user gave it.
struct PictureFile {
    std::filesystem::path path;
    ImageFormat format = ImageFormat::svg;
};

/// .svg or .png; a name without an ending gets .svg. Throws UsageError for any other.
PictureFile picture_file(const std::filesystem::path& name);

/// Draws the plots, at least one, into one file, which is complete or absent. Throws as Gnuplot::draw and
/// write_whole do.
void write_picture(std::span<const Plot> plots, const PictureFile& file, const Gnuplot& gnuplot);

}  // namespace convoy
