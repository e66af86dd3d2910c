#include "report/picture.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/files.hpp"

namespace convoy {

PictureFile picture_file(const std::filesystem::path& name) {
    const auto ending = name.extension();
    if (ending == ".svg") return {name, ImageFormat::svg};
    if (ending == ".png") return {name, ImageFormat::png};
    if (ending.empty() && name.has_filename()) return {name.string() + ".svg", ImageFormat::svg};
    throw UsageError(
        fmt::format("--plot: found \"{}\", expected a file that ends in .svg or .png", name.string()));
}

void write_picture(std::span<const Plot> plots, const PictureFile& file, const Gnuplot& gnuplot) {
    write_whole(file.path, gnuplot.draw(gnuplot_script(plots, file.format)));
}

}  // namespace convoy
