#include "chart/scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace convoy {

namespace {

/// Rounding must neither add nor lose a tick.
constexpr double tolerance = 1e-9;
/// Numbers that are smaller are 0 on an axis, and greater ones stand at its end: nothing overflows.
constexpr double smallest_number = 1e-300, greatest_number = 1e300;
/// The values of a decade that have ticks.
constexpr std::array<double, 3> round_values{1.0, 2.0, 5.0};

struct Unit {
    double size;
    const char* letter;
};

/// The unit in which numbers up to `greatest` are short.
Unit unit_of(double greatest) {
    constexpr std::array<Unit, 4> units{{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
    constexpr double digits_that_are_read = 10.0;
    for (const auto& unit : units)
        if (greatest >= digits_that_are_read * unit.size) return unit;
    return {1.0, ""};
}

std::string tick_label(double value, double step, const Unit& unit) {
    if (std::abs(value) < step * tolerance) return "0";
    const auto decimals = static_cast<int>(std::ceil(-std::log10(step / unit.size) - tolerance));
    if (decimals > 4) return fmt::format("{:.3g}", value);
    return fmt::format("{:.{}f}{}", value / unit.size, std::max(decimals, 0), unit.letter);
}

/// The smallest round number from which at most `most` steps cover the span.
double round_step(double span, double most) {
    const double least = span / most;
    const double decade = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : round_values)
        if (factor * decade >= least * (1.0 - tolerance)) return factor * decade;
    return 10.0 * decade;
}

Scale linear_scale(double least, double greatest, std::size_t most_ticks, bool whole) {
    for (auto* end : {&least, &greatest}) {
        *end = std::clamp(*end, -greatest_number, greatest_number);
        if (std::abs(*end) < smallest_number) *end = 0.0;
    }
    if (greatest - least <= tolerance * std::max(std::abs(least), std::abs(greatest))) {
        // All values are the same: it stands between two ticks, or between 0 and a tick.
        const double around = least == 0.0 ? 1.0 : std::abs(least);
        (least < 0.0 ? least : greatest) += least < 0.0 ? -around : around;
    }
    // Both ends are rounded outwards, which may take a tick more than the span has steps.
    const auto steps_between = static_cast<double>(std::max<std::size_t>(most_ticks, 3) - 1);
    for (double most = steps_between;; most = std::max(1.0, most - 1.0)) {
        double step = round_step(greatest - least, most);
        if (whole) step = std::max(step, 1.0);
        const auto first = std::floor(least / step + tolerance);
        const auto last = std::ceil(greatest / step - tolerance);
        if (last - first > steps_between && most > 1.0) continue;
        Scale scale{.kind = ScaleKind::linear, .low = first * step, .high = last * step, .ticks = {}};
        const auto unit = unit_of(std::max(std::abs(scale.low), std::abs(scale.high)));
        for (double at = first; at <= last; at += 1.0)
            scale.ticks.push_back({at * step, tick_label(at * step, step, unit)});
        return scale;
    }
}

/// The round values from the last that is not above `least` to the first that is not below `greatest`.
std::vector<double> decades(double least, double greatest, std::size_t values_in_decade, int stride) {
    constexpr std::array<std::size_t, 3> one{0, 0, 0}, two{0, 2, 0}, three{0, 1, 2};
    const auto& chosen = values_in_decade == 1 ? one : values_in_decade == 2 ? two : three;
    std::vector<double> values;
    const auto first = std::floor(std::log10(least) / stride + tolerance) * stride;
    for (double exponent = first;; exponent += stride) {
        for (std::size_t i = 0; i < values_in_decade; ++i) {
            const double value = round_values.at(chosen.at(i)) * std::pow(10.0, exponent);
            if (value <= least * (1.0 + tolerance)) values.clear();
            values.push_back(value);
            if (value >= greatest * (1.0 - tolerance)) return values;
        }
    }
}

Scale logarithmic_scale(double least, double greatest, std::size_t most_ticks) {
    least = std::clamp(least, smallest_number, greatest_number);
    greatest = std::clamp(greatest, least, greatest_number);
    if (greatest <= least * (1.0 + tolerance)) greatest = least * 2.0;
    std::vector<double> values;
    for (const std::size_t in_decade : {3, 2, 1}) {
        values = decades(least, greatest, in_decade, 1);
        if (values.size() <= most_ticks) break;
    }
    for (int stride = 2; values.size() > std::max<std::size_t>(most_ticks, 2); ++stride)
        values = decades(least, greatest, 1, stride);
    Scale scale{.kind = ScaleKind::logarithmic, .low = values.front(), .high = values.back(), .ticks = {}};
    for (const double value : values) scale.ticks.push_back({value, short_number(value)});
    return scale;
}

}  // namespace

double Scale::place(double value) const {
    if (kind == ScaleKind::linear) return std::clamp((value - low) / (high - low), 0.0, 1.0);
    if (value <= low) return 0.0;
    return std::min(std::log(value / low) / std::log(high / low), 1.0);
}

Scale scale_of(ScaleKind kind, double least, double greatest, std::size_t most_ticks, bool whole) {
    return kind == ScaleKind::linear ? linear_scale(least, greatest, most_ticks, whole)
                                     : logarithmic_scale(least, greatest, most_ticks);
}

Scale scale_at(ScaleKind kind, std::vector<double> values) {
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    Scale scale{.kind = kind, .low = values.front(), .high = values.back(), .ticks = {}};
    for (const double value : values) scale.ticks.push_back({value, short_number(value)});
    // A single value stands in the middle.
    if (values.size() == 1) {
        const double around = values.front() == 0.0 ? 1.0 : std::abs(values.front()) / 2.0;
        scale.low -= around;
        scale.high = kind == ScaleKind::linear ? scale.high + around : scale.high * 2.0;
    }
    return scale;
}

std::string short_number(double value) {
    const auto unit = unit_of(std::abs(value));
    if (unit.size == 1.0) return fmt::format("{:.4g}", value);
    // From 10 of the unit up there are two digits or more before the point.
    const double count = value / unit.size;
    return std::abs(count) >= 100.0 ? fmt::format("{:.0f}{}", count, unit.letter)
                                    : fmt::format("{:.3g}{}", count, unit.letter);
}

}  // namespace convoy
