#include "data/digit_strokes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <numbers>

namespace convoy {
namespace {

constexpr double spacing = 0.12;  // between two points of a stroke: short enough to bend smoothly

/// Puts a straight line from the stroke's end to a point, in steps of at most spacing.
void append_line(Stroke& stroke, Point end) {
    if (stroke.empty()) {
        stroke.push_back(end);
        return;
    }
    const auto start = stroke.back();
    const auto steps = std::max(1.0, std::ceil(std::hypot(end.x - start.x, end.y - start.y) / spacing));
    for (double step = 1; step <= steps; ++step) {
        const auto part = step / steps;
        stroke.push_back({start.x + part * (end.x - start.x), start.y + part * (end.y - start.y)});
    }
}

Stroke line(std::initializer_list<Point> corners) {
    Stroke stroke;
    for (const auto corner : corners) append_line(stroke, corner);
    return stroke;
}

/// Part of an ellipse; degrees run clockwise on paper from the right: 0 right, 90 bottom, 180 left, 270 top.
Stroke arc(Point centre, Point radii, double from, double to) {
    constexpr double degree = std::numbers::pi / 180.0;
    Stroke stroke;
    const auto steps = std::ceil(std::abs(to - from) / 15.0);
    for (double step = 0; step <= steps; ++step) {
        const auto angle = degree * (from + (to - from) * step / steps);
        stroke.push_back({centre.x + radii.x * std::cos(angle), centre.y + radii.y * std::sin(angle)});
    }
    return stroke;
}

/// Draws on from one stroke's end to the other's begin, without lifting the pen.
Stroke joined(Stroke first, const Stroke& second) {
    append_line(first, second.front());
    first.insert(first.end(), second.begin() + 1, second.end());
    return first;
}

std::array<std::vector<Stroke>, 10> draw_all() {
    return {{
        {arc({0, 0}, {0.55, 0.9}, -90, 270)},
        {line({{-0.3, -0.5}, {0.05, -0.9}, {0.05, 0.9}})},
        {joined(arc({0, -0.4}, {0.5, 0.5}, 190, 395), line({{-0.5, 0.9}, {0.55, 0.9}}))},
        {joined(arc({-0.05, -0.45}, {0.5, 0.45}, 205, 450), arc({-0.05, 0.42}, {0.55, 0.48}, -90, 155))},
        {line({{0.1, -0.9}, {-0.55, 0.3}, {0.6, 0.3}}), line({{0.25, -0.2}, {0.2, 0.9}})},
        {joined(line({{0.5, -0.9}, {-0.35, -0.9}, {-0.4, -0.1}}), arc({0, 0.35}, {0.52, 0.55}, 230, 510))},
        {joined(arc({0.45, 0.4}, {0.95, 1.3}, 265, 180), arc({0, 0.4}, {0.5, 0.5}, 180, -180))},
        {line({{-0.55, -0.9}, {0.55, -0.9}, {-0.15, 0.9}})},
        {arc({0, -0.45}, {0.42, 0.44}, 90, 450), arc({0, 0.45}, {0.52, 0.46}, -90, 270)},
        {joined(arc({0, -0.4}, {0.48, 0.48}, 0, -360), line({{0.48, -0.4}, {0.3, 0.9}}))},
    }};
}

}  // namespace

const std::vector<Stroke>& digit_strokes(std::int32_t digit) {
    static const auto all = draw_all();
    return all.at(static_cast<std::size_t>(digit));
}

}  // namespace convoy
