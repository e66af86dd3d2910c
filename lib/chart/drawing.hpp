#pragma once

#include <span>
#include <string>
#include <string_view>

#include "chart/chart.hpp"

namespace convoy {

/// A chart that is drawn: elements of SVG in a room from 0 to width and from 0 to height.
struct Drawing {
    std::string title, description;
    double width = 0.0, height = 0.0;
    std::string elements = {};
};

/// Draws a chart. No text overlaps another: texts without room are cut or left out, and the chart is as high
/// as its labels need. Colours are classes of chart_style.
Drawing drawn(const XyChart& chart, double width = chart_width);
Drawing drawn(const RowChart& chart, double width = chart_width);

/// An <svg> element for a page that has chart_style. It has a role, its title and its description for readers
/// who do not see it.
std::string svg_element(const Drawing& drawing);

/// Drawings as one SVG file, one below the other, each below its title. It has the style in it.
std::string svg_document(std::span<const Drawing> drawings);

/// The rules of CSS for charts. Texts and axes have the colour of the text around the chart; a page that is
/// dark where the reader's system is dark needs nothing more.
std::string_view chart_style();

}  // namespace convoy
