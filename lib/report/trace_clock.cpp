#include "report/trace_clock.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace convoy {
namespace {

constexpr auto no_time = std::numeric_limits<std::int64_t>::max();

/// A damaged journal may hold any time; these are 36 years, and sums of some of them do not overflow.
constexpr double most_ns = 0x1p60;

std::int64_t whole_ns(double microseconds) {
    if (std::isnan(microseconds)) return 0;
    return std::llround(std::clamp(microseconds * 1e3, -most_ns, most_ns));
}

}  // namespace

TraceClock::TraceClock(std::span<const TraceSlice> slices, const ClockOffset& offset)
    : first_(no_time), offset_ns_(offset.start_us * 1e3), drift_ns_((offset.end_us - offset.start_us) * 1e3) {
    for (const auto& slice : slices) {
        first_ = std::min(first_, whole_ns(slice.start_us));
        last_ = std::max(last_, whole_ns(slice.start_us + slice.duration_us));
    }
}

std::int64_t TraceClock::launcher_of(std::int64_t node_ns) const {
    const double passed =
        last_ > first_ ? static_cast<double>(node_ns - first_) / static_cast<double>(last_ - first_) : 0.0;
    const auto offset_us = (offset_ns_ + passed * drift_ns_) * 1e-3;
    return node_ns + whole_ns(offset_us);
}

std::int64_t TraceClock::launcher_ns(double node_us) const {
    return launcher_of(whole_ns(node_us));
}

std::int64_t TraceClock::first_ns() const {
    return first_ == no_time ? no_time : launcher_of(first_);
}

}  // namespace convoy
