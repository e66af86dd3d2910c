#include "report/trace_counters.hpp"

#include <algorithm>

namespace convoy {

TraceCounters::TraceCounters(std::span<const TraceSlice> slices, const TraceClock& clock, TraceEvents& events)
    : clock_(clock), events_(events), before_ns_(clock.first_ns()) {
    for (const auto& slice : slices) {
        steps_.push_back(
            {clock.launcher_ns(slice.start_us), clock.launcher_ns(slice.start_us + slice.duration_us)});
    }
    std::ranges::sort(steps_, {}, &TraceTime::start_ns);
    std::vector<TraceTime> joined;
    for (const auto& step : steps_) {
        if (joined.empty() || joined.back().end_ns < step.start_ns) {
            joined.push_back(step);
        } else {
            joined.back().end_ns = std::max(joined.back().end_ns, step.end_ns);
        }
    }
    steps_ = std::move(joined);
}

bool TraceCounters::touches_step(std::int64_t start_ns, std::int64_t end_ns) const {
    const auto step = std::ranges::lower_bound(steps_, start_ns, {}, &TraceTime::end_ns);
    return step != steps_.end() && step->start_ns <= end_ns;
}

void TraceCounters::add(const SystemSample& reading) {
    if (!reading.clock_us) return;
    const auto at_ns = clock_.launcher_ns(*reading.clock_us);
    const auto since_ns = std::exchange(before_ns_, at_ns);
    // Readings of an earlier process of the run stand before the first slice.
    if (at_ns < since_ns || !touches_step(since_ns, at_ns)) return;
    const auto process = reading.node;
    // These are means of the time since the reading before, which may be before the first slice.
    events_.counter("CPU (% of a core)", process, std::max(since_ns, clock_.first_ns()),
                    {{"user", reading.cpu_user_pct}, {"system", reading.cpu_system_pct}});
    events_.counter("resident memory (bytes)", process, at_ns, {{"resident", reading.resident_bytes}});
    if (!reading.sent_bytes || !reading.received_bytes) return;
    events_.counter("network (bytes so far)", process, at_ns,
                    {{"sent", *reading.sent_bytes}, {"received", *reading.received_bytes}});
}

}  // namespace convoy
