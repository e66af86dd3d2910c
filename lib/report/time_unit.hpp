#pragma once

#include <fmt/format.h>

#include <string>

namespace convoy {

/// The unit in which times of a figure are shown.
struct TimeUnit {
    double us = 1.0;  ///< its length in microseconds
    const char* name = "µs";
};

/// The unit in which a time has a digit before the point.
constexpr TimeUnit time_unit(double longest_us) {
    constexpr double us_in_ms = 1e3, us_in_s = 1e6;
    if (longest_us >= us_in_s) return {us_in_s, "s"};
    if (longest_us >= us_in_ms) return {us_in_ms, "ms"};
    return {};
}

/// A time in its unit, with three digits: "4.62 ms".
inline std::string time_text(double us) {
    const auto unit = time_unit(us);
    return fmt::format("{:.3g} {}", us / unit.us, unit.name);
}

}  // namespace convoy
