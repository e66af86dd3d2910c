#include "chart/chart_key.hpp"

#include <algorithm>
#include <array>

#include "chart/svg.hpp"
#include "chart/text_width.hpp"

namespace convoy {

namespace {

constexpr double sample_width = 22.0;

}  // namespace

Drawing drawn(const ChartKey& key, double width) {
    double marks = 0.0;
    for (const auto& entry : key.entries) marks = std::max(marks, text_width(entry.mark));
    const double mark_x = sample_width + chart_gap;
    const double label_x = mark_x + (marks > 0.0 ? marks + chart_gap : 0.0);
    Svg svg;
    double y = chart_line_height / 2.0;
    for (const auto& entry : key.entries) {
        const std::array<Svg::Place, 2> sample{{{0.0, y}, {sample_width, y}}};
        svg.line(sample, entry.tone, entry.dashed ? "dashed" : "");
        svg.text({mark_x, y}, Anchor::start, entry.mark);
        for (const auto& line : wrapped_to(entry.label, width - label_x)) {
            svg.text({label_x, y}, Anchor::start, line);
            y += chart_line_height;
        }
    }
    if (!key.note.empty()) {
        if (!key.entries.empty()) y += chart_gap;
        for (const auto& line : wrapped_to(key.note, width)) {
            svg.text({0.0, y}, Anchor::start, line);
            y += chart_line_height;
        }
    }
    return {.title = key.title,
            .description = key.entries.empty() ? "" : "The names of the lines.",
            .width = width,
            .height = y - chart_line_height / 2.0 + 2.0,
            .elements = svg.take()};
}

}  // namespace convoy
