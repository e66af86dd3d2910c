#include "chart/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/html_text.hpp"
#include "chart/text_width.hpp"

namespace convoy {

namespace {

/// Classes f0 to f9 fill and s0 to s9 draw in the tones, in their order.
constexpr std::string_view style = R"(
.chart text { font-family: system-ui, sans-serif; font-size: 12px; fill: currentColor; }
.chart .thin { fill: none; stroke: currentColor; stroke-opacity: 0.22; }
.chart .line { fill: none; stroke-width: 1.7; stroke-linejoin: round; }
.chart .faint { stroke-width: 1; stroke-opacity: 0.55; }
.chart .dashed { stroke-dasharray: 5 4; }
.chart .ring { fill: none; stroke-width: 1.2; }
.chart .band { fill-opacity: 0.25; }
.f0 { fill: #0072b2; } .s0 { stroke: #0072b2; } .f1 { fill: #d55e00; } .s1 { stroke: #d55e00; }
.f2 { fill: #009e73; } .s2 { stroke: #009e73; } .f3 { fill: #cc79a7; } .s3 { stroke: #cc79a7; }
.f4 { fill: #e69f00; } .s4 { stroke: #e69f00; } .f5 { fill: #56b4e9; } .s5 { stroke: #56b4e9; }
.f6 { fill: #e3d526; } .s6 { stroke: #e3d526; } .f7 { fill: #999999; } .s7 { stroke: #999999; }
.f8 { fill: #d8dce0; } .s8 { stroke: #d8dce0; } .f9 { fill: #4d555e; } .s9 { stroke: #4d555e; }
@media screen and (prefers-color-scheme: dark) {
.f0 { fill: #3390cc; } .s0 { stroke: #3390cc; } .f8 { fill: #3f464d; } .s8 { stroke: #3f464d; }
.f9 { fill: #c3cad1; } .s9 { stroke: #c3cad1; }
}
)";

constexpr double below_title = 9.0, between_drawings = 16.0, margin = 10.0;

}  // namespace

std::string_view chart_style() {
    return style;
}

std::string svg_element(const Drawing& drawing) {
    return fmt::format(
        "<svg class=\"chart\" role=\"img\" viewBox=\"0 0 {:.0f} {:.0f}\" "
        "xmlns=\"http://www.w3.org/2000/svg\">\n"
        "<title>{}</title>\n<desc>{}</desc>\n{}</svg>\n",
        drawing.width, drawing.height, html_escaped(drawing.title), html_escaped(drawing.description),
        drawing.elements);
}

std::string svg_document(std::span<const Drawing> drawings) {
    double width = 0.0;
    double height = margin;
    std::string elements;
    for (const auto& drawing : drawings) {
        elements += fmt::format("<g transform=\"translate({:.0f} {:.0f})\">\n", margin, height);
        // Bold letters are wider.
        constexpr double bold = 1.2;
        double base = 0.0;
        for (const auto& line : wrapped_to(drawing.title, drawing.width / bold))
            elements += fmt::format("<text x=\"0\" y=\"{:.0f}\" font-weight=\"bold\">{}</text>\n",
                                    base += chart_line_height, html_escaped(line));
        const double title_room = base + below_title;
        elements += fmt::format("<g transform=\"translate(0 {:.0f})\">\n{}</g>\n</g>\n", title_room,
                                drawing.elements);
        width = std::max(width, drawing.width + 2.0 * margin);
        height += title_room + drawing.height + between_drawings;
    }
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg class=\"chart\" role=\"img\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
        "xmlns=\"http://www.w3.org/2000/svg\">\n<style>{2}</style>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{3}</svg>\n",
        width, height, style, elements);
}

}  // namespace convoy
