#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace convoy {

enum class ScaleKind : std::uint8_t { linear, logarithmic };

/// A mark of an axis with its label.
struct Tick {
    double value = 0.0;
    std::string label;
    bool operator==(const Tick&) const = default;
};

/// The values that an axis shows, and its ticks.
struct Scale {
    ScaleKind kind = ScaleKind::linear;
    double low = 0.0, high = 1.0;  ///< the ends of the axis; high is above low
    std::vector<Tick> ticks;       ///< in ascending order, each between low and high

    /// The place of a value on the axis: 0 at low, 1 at high. Values beyond an end are at this end.
    [[nodiscard]] double place(double value) const;
};

/// A scale from least to greatest with at most `most_ticks` ticks (at least 3), all at round values. Its ends
/// are ticks. least and greatest are finite, and positive where the scale is logarithmic. If they are equal,
/// the scale has room around them. whole: no tick is between two whole numbers.
Scale scale_of(ScaleKind kind, double least, double greatest, std::size_t most_ticks, bool whole = false);

/// A scale with a tick at each value, as for numbers of nodes. values: finite, at least one, in any order;
/// of a logarithmic scale positive.
Scale scale_at(ScaleKind kind, std::vector<double> values);

/// A number in few letters for an axis or a label: 1.5, 20k, 3M.
std::string short_number(double value);

}  // namespace convoy
