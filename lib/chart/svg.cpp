#include "chart/svg.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "base/html_text.hpp"
#include "chart/text_width.hpp"

namespace convoy {

namespace {

/// From the middle of the letters to the line on which they stand.
constexpr double half_letter = 0.36 * chart_text_height;
constexpr double dot_radius = 2.2;

std::string_view anchor_name(Anchor anchor) {
    constexpr std::array<std::string_view, 3> names{"start", "middle", "end"};
    return names.at(static_cast<std::size_t>(anchor));
}

/// A tenth of a unit is less than can be seen.
std::string length(double value) {
    auto text = fmt::format("{:.1f}", value);
    if (text.ends_with(".0")) text.resize(text.size() - 2);
    return text == "-0" ? "0" : text;
}

std::string path(std::span<const Svg::Place> points) {
    std::string path;
    for (const auto& [x, y] : points)
        path += fmt::format("{}{} {}", path.empty() ? 'M' : 'L', length(x), length(y));
    return path;
}

int number(Tone tone) {
    return static_cast<int>(tone);
}

}  // namespace

void Svg::text(Place at, Anchor anchor, std::string_view text) {
    const auto where = anchor == Anchor::start ? "" : fmt::format(" text-anchor=\"{}\"", anchor_name(anchor));
    elements_ += fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>\n", length(at.x),
                             length(at.y + half_letter), where, html_escaped(text));
}

void Svg::thin_line(Place from, Place to) {
    const std::array<Place, 2> ends{from, to};
    elements_ += fmt::format("<path class=\"thin\" d=\"{}\"/>\n", path(ends));
}

void Svg::line(std::span<const Place> points, Tone tone, std::string_view kind) {
    elements_ += fmt::format("<path class=\"line s{}{}{}\" d=\"{}\"/>\n", number(tone),
                             kind.empty() ? "" : " ", kind, path(points));
}

void Svg::area(std::span<const Place> points, Tone tone) {
    elements_ += fmt::format("<path class=\"band f{}\" d=\"{}Z\"/>\n", number(tone), path(points));
}

void Svg::dot(Place at, Tone tone) {
    elements_ += fmt::format("<circle class=\"f{}\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>\n", number(tone),
                             length(at.x), length(at.y), dot_radius);
}

void Svg::box(Place corner, double width, double height, Tone tone, std::string_view words) {
    elements_ += fmt::format("<rect class=\"f{}\" x=\"{}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\"",
                             number(tone), length(corner.x), length(corner.y), width, length(height));
    elements_ += words.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", html_escaped(words));
}

}  // namespace convoy
