#include "report/picture.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"

namespace convoy {

PictureFile picture_file(const std::filesystem::path& name) {
    constexpr std::array<std::pair<std::string_view, ImageFormat>, 4> endings{{{".svg", ImageFormat::svg},
                                                                               {".png", ImageFormat::png},
                                                                               {".pdf", ImageFormat::pdf},
                                                                               {".tex", ImageFormat::tikz}}};
    const auto ending = name.extension();
    for (const auto& [known, format] : endings)
        if (ending == known) return {name, format};
    if (ending.empty() && name.has_filename()) return {name.string() + ".svg", ImageFormat::svg};
    throw UsageError(fmt::format(
        "--plot: found \"{}\", expected a file that ends in .svg, .png, .pdf or .tex", name.string()));
}

void write_picture(std::span<const Plot> plots, const PictureFile& file, const Gnuplot& gnuplot) {
    write_whole(file.path, gnuplot.draw(gnuplot_script(plots, file.format)));
}

}  // namespace convoy
