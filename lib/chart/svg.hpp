#pragma once

#include <span>
#include <string>
#include <string_view>

#include "chart/chart.hpp"

namespace convoy {

/// The side of a text at which its place is.
enum class Anchor : std::uint8_t { start, middle, end };

/// Writes elements of SVG, one after another. Lengths are in units of the chart, x to the right and y down.
class Svg {
  public:
    struct Place {
        double x = 0.0, y = 0.0;
    };

    /// y: the middle of the letters' height.
    void text(Place at, Anchor anchor, std::string_view text);
    /// A line that belongs to an axis or leads to a label.
    void thin_line(Place from, Place to);
    void line(std::span<const Place> points, Tone tone, std::string_view kind = "");
    /// The room inside a closed line.
    void area(std::span<const Place> points, Tone tone);
    void dot(Place at, Tone tone);
    /// words: shown where the reader points at it; empty: none.
    void box(Place corner, double width, double height, Tone tone, std::string_view words = "");

    [[nodiscard]] std::string take() { return std::move(elements_); }

  private:
    std::string elements_;
};

}  // namespace convoy
