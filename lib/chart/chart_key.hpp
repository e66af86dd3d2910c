#pragma once

#include <string>
#include <vector>

#include "chart/drawing.hpp"

namespace convoy {

struct ChartKeyEntry {
    std::string mark = {};  ///< stands at the ends of the lines: "1"; empty: none
    std::string label = {};
    Tone tone = Tone::blue;
    bool dashed = false;
    bool operator==(const ChartKeyEntry&) const = default;
};

/// The names of lines of one chart or several, where they are too long for the ends of the lines.
struct ChartKey {
    std::string title = {};
    std::vector<ChartKeyEntry> entries = {};
    std::string note = {};  ///< text below the entries
    bool operator==(const ChartKey&) const = default;
};

/// Draws a key, one entry below the other, and its note. Long texts take several lines; none is cut.
Drawing drawn(const ChartKey& key, double width = chart_width);

}  // namespace convoy
