#include "report/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>

#include "base/json_text.hpp"

namespace convoy {

namespace {

using nlohmann::json;

/// The clock of one node: maps its times to the launcher's.
class NodeClock {
  public:
    void include(const TraceSlice& slice) {
        first_us_ = std::min(first_us_, slice.start_us);
        last_us_ = std::max(last_us_, slice.start_us + slice.duration_us);
    }
    void set(const ClockOffset& offset) { offset_ = offset; }
    [[nodiscard]] double launcher_us(double node_us) const {
        const double span = last_us_ - first_us_;
        const double passed = span > 0.0 ? (node_us - first_us_) / span : 0.0;
        return node_us + offset_.start_us + passed * (offset_.end_us - offset_.start_us);
    }

  private:
    double first_us_ = std::numeric_limits<double>::infinity();
    double last_us_ = -std::numeric_limits<double>::infinity();
    ClockOffset offset_;
};

/// A slice on the launcher's clock, in whole nanoseconds, so that what touches does not overlap by rounding.
struct Placed {
    const TraceSlice* slice = nullptr;
    std::int64_t start_ns = 0, end_ns = 0;
};

NodeClock clock_of(std::int64_t node, const std::vector<TraceSlice>& slices,
                   std::span<const NodeSummary> summaries) {
    NodeClock clock;
    for (const auto& slice : slices) clock.include(slice);
    const auto summary = std::ranges::find(summaries, node, &NodeSummary::node);
    if (summary != summaries.end()) clock.set(summary->clock);
    return clock;
}

/// The launcher's time of a node's first slice; infinity if it has none.
double first_us(std::int64_t node, const std::vector<TraceSlice>& slices,
                std::span<const NodeSummary> summaries) {
    const auto clock = clock_of(node, slices, summaries);
    double first = std::numeric_limits<double>::infinity();
    for (const auto& slice : slices) first = std::min(first, clock.launcher_us(slice.start_us));
    return first;
}

/// The slices of a node, sorted by track (compute first) and start.
std::vector<Placed> placed(const std::vector<TraceSlice>& slices, const NodeClock& clock, double origin_us) {
    std::vector<Placed> all;
    all.reserve(slices.size());
    for (const auto& slice : slices) {
        const auto ns = [&](double node_us) {
            return std::llround((clock.launcher_us(node_us) - origin_us) * 1e3);
        };
        all.push_back({&slice, ns(slice.start_us), ns(slice.start_us + slice.duration_us)});
    }
    std::stable_sort(all.begin(), all.end(), [](const Placed& a, const Placed& b) {
        const auto key = [](const Placed& place) {
            const auto& slice = *place.slice;
            return std::tuple(slice.track != "compute", std::string_view(slice.track), place.start_ns);
        };
        return key(a) < key(b);
    });
    return all;
}

json metadata(const char* what, std::int64_t process, std::int64_t thread, json arguments) {
    return {{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", std::move(arguments)}};
}

json complete(const Placed& place, std::int64_t thread) {
    const auto& slice = *place.slice;
    return {{"ph", "X"},
            {"name", slice.operator_name},
            {"cat", slice.track},
            {"pid", slice.node},
            {"tid", thread},
            {"ts", static_cast<double>(place.start_ns) / 1e3},
            {"dur", static_cast<double>(place.end_ns - place.start_ns) / 1e3},
            {"args", {{"name", slice.name}, {"step", slice.step}}}};
}

/// Hands out the threads of one node: within a track, the first thread that is free at a slice's start.
class Threads {
  public:
    Threads(std::int64_t node, std::vector<json>& events) : node_(node) {
        events.push_back(metadata("process_name", node, 0, {{"name", fmt::format("node {}", node)}}));
        events.push_back(metadata("process_sort_index", node, 0, {{"sort_index", node}}));
    }

    /// Adds the metadata of a thread when it is first met.
    std::int64_t thread_for(const Placed& place, std::vector<json>& events) {
        const auto& slice = *place.slice;
        if (slice.track != track_) {
            track_ = slice.track;
            lanes_.clear();
        }
        auto free = std::find_if(lanes_.begin(), lanes_.end(),
                                 [&](const Lane& lane) { return lane.end_ns <= place.start_ns; });
        if (free == lanes_.end()) {
            const auto number = lanes_.size() + 1;
            free = lanes_.insert(lanes_.end(), Lane{.thread = next_thread_++, .end_ns = 0});
            const auto name = number == 1 ? track_ : fmt::format("{} {}", track_, number);
            events.push_back(metadata("thread_name", node_, free->thread, {{"name", name}}));
            events.push_back(
                metadata("thread_sort_index", node_, free->thread, {{"sort_index", free->thread}}));
        }
        free->end_ns = place.end_ns;
        return free->thread;
    }

  private:
    struct Lane {
        std::int64_t thread;
        std::int64_t end_ns;
    };

    std::int64_t node_;
    std::string track_;
    std::vector<Lane> lanes_;
    std::int64_t next_thread_ = 0;
};

}  // namespace

void write_trace_json(std::span<const std::int64_t> nodes, const SlicesOfNode& slices_of,
                      std::span<const NodeSummary> summaries,
                      const std::function<void(std::string_view)>& write) {
    double origin_us = std::numeric_limits<double>::infinity();
    for (const auto node : nodes) origin_us = std::min(origin_us, first_us(node, slices_of(node), summaries));
    // One event a line: the file can be looked at, and cut, with line tools.
    write(R"({"displayTimeUnit":"ms","traceEvents":[)");
    bool first = true;
    for (const auto node : nodes) {
        const auto slices = slices_of(node);
        if (slices.empty()) continue;
        std::vector<json> events;
        Threads threads(node, events);
        for (const auto& place : placed(slices, clock_of(node, slices, summaries), origin_us)) {
            const auto thread = threads.thread_for(place, events);
            events.push_back(complete(place, thread));
            for (const auto& event : events) {
                write(std::exchange(first, false) ? "\n" : ",\n");
                write(json_text(event));
            }
            events.clear();
        }
    }
    write("\n]}\n");
}

}  // namespace convoy
