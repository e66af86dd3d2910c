#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "report/plot.hpp"

namespace convoy {

/// tikz: a tikzpicture for LaTeX with the package gnuplot-lua-tikz, which comes with gnuplot.
enum class ImageFormat : std::uint8_t { svg, png, pdf, tikz };

/// The letters of a plot's title that have room; longer ones are cut.
inline constexpr std::size_t longest_title = 64;

/// The text, or its first letters, as many as `most`, and an ellipsis. Cuts between characters of UTF-8.
std::string shortened(std::string_view text, std::size_t most);

/// Makes a script for gnuplot (5.4). The script writes the plots as one picture, one below the other, to
/// standard output. plots: at least one; each must have something to draw.
std::string gnuplot_script(std::span<const Plot> plots, ImageFormat format);

/// Puts a text in gnuplot's single quotes. In these, gnuplot replaces neither commands in backquotes nor
/// variables nor escapes. A quote in the text becomes an apostrophe (U+2019); control characters and bytes
/// that are not UTF-8 become visible as in printable().
std::string gnuplot_quoted(std::string_view text);

}  // namespace convoy
