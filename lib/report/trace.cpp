#include "report/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

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

std::map<std::int64_t, NodeClock> clocks(const std::vector<TraceSlice>& slices,
                                         const std::vector<NodeSummary>& summaries) {
    std::map<std::int64_t, NodeClock> all;
    for (const auto& slice : slices) all[slice.node].include(slice);
    for (const auto& node : summaries) all[node.node].set(node.clock);
    return all;
}

/// Sorted by node, track (compute first) and start.
std::vector<Placed> placed(const std::vector<TraceSlice>& slices, const std::vector<NodeSummary>& summaries) {
    const auto node_clocks = clocks(slices, summaries);
    double origin_us = std::numeric_limits<double>::infinity();
    for (const auto& slice : slices) {
        origin_us = std::min(origin_us, node_clocks.at(slice.node).launcher_us(slice.start_us));
    }
    std::vector<Placed> all;
    all.reserve(slices.size());
    for (const auto& slice : slices) {
        const auto& clock = node_clocks.at(slice.node);
        const auto ns = [&](double node_us) {
            return std::llround((clock.launcher_us(node_us) - origin_us) * 1e3);
        };
        all.push_back({&slice, ns(slice.start_us), ns(slice.start_us + slice.duration_us)});
    }
    std::stable_sort(all.begin(), all.end(), [](const Placed& a, const Placed& b) {
        const auto key = [](const Placed& place) {
            const auto& slice = *place.slice;
            return std::tuple(slice.node, slice.track != "compute", std::string_view(slice.track),
                              place.start_ns);
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

/// Hands out threads: within a process and a track, the first thread that is free at a slice's start.
class Threads {
  public:
    /// Writes the metadata of a process or thread when it is first met.
    std::int64_t thread_for(const Placed& place, std::vector<json>& events) {
        const auto& slice = *place.slice;
        if (slice.node != node_) begin_node(slice.node, events);
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

    void begin_node(std::int64_t node, std::vector<json>& events) {
        node_ = node;
        track_.clear();
        lanes_.clear();
        next_thread_ = 0;
        events.push_back(metadata("process_name", node, 0, {{"name", fmt::format("node {}", node)}}));
        events.push_back(metadata("process_sort_index", node, 0, {{"sort_index", node}}));
    }

    std::int64_t node_ = -1;
    std::string track_;
    std::vector<Lane> lanes_;
    std::int64_t next_thread_ = 0;
};

}  // namespace

std::string trace_json(const std::vector<TraceSlice>& slices, const std::vector<NodeSummary>& summaries) {
    std::vector<json> events;
    Threads threads;
    for (const auto& place : placed(slices, summaries)) {
        const auto thread = threads.thread_for(place, events);
        events.push_back(complete(place, thread));
    }
    // One event a line: the file can be looked at, and cut, with line tools.
    std::string text = R"({"displayTimeUnit":"ms","traceEvents":[)";
    for (std::size_t i = 0; i < events.size(); ++i) text += (i == 0 ? "\n" : ",\n") + json_text(events[i]);
    return text + "\n]}\n";
}

}  // namespace convoy
