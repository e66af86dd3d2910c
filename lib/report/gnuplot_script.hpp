#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "report/plot.hpp"

namespace convoy {

enum class ImageFormat : std::uint8_t { svg, png };

/// What gnuplot (5.4) is to read so that it writes the plots, one below the other, to its standard output as
/// one picture. At least one plot, and every one of them with something to draw.
std::string gnuplot_script(std::span<const Plot> plots, ImageFormat format);

/// A text in gnuplot's single quotes, in which it substitutes nothing: neither commands in backquotes, nor
/// variables or escapes. Control characters, line feeds among them, become spaces.
std::string gnuplot_quoted(std::string_view text);

}  // namespace convoy
