#pragma once

#include <string>
#include <string_view>

namespace convoy {

/// Height of the letters of charts, the distance from line to line, and that from a text to a mark, in units
/// of the chart.
inline constexpr double chart_text_height = 12.0, chart_line_height = 15.0, chart_gap = 6.0;

/// The room that a text takes in a chart. The reader's browser chooses the font, so this is an upper bound:
/// the widths of Verdana and DejaVu Sans, which are wider than most fonts. text: UTF-8.
double text_width(std::string_view text);

/// The text, or its beginning and an ellipsis, so that it takes at most `width`. Cuts between characters.
std::string shortened_to(std::string_view text, double width);

}  // namespace convoy
