#include "report/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/count_text.hpp"
#include "report/trace_counters.hpp"
#include "report/trace_events.hpp"
#include "report/trace_exchanges.hpp"
#include "report/trace_node.hpp"

namespace convoy {

namespace {

using nlohmann::json;

/// "node 0 on host a, pid 12, 2 threads", as far as it is known.
std::string name_of(const TraceNode& node) {
    auto name = fmt::format("node {}", node.node);
    if (!node.host.empty()) name += " on " + node.host;
    if (node.pid) name += fmt::format(", pid {}", *node.pid);
    if (node.threads) name += ", " + count_text(*node.threads, "thread");
    return name;
}

json description_of(const TraceNode& node) {
    return {{"node", node.node},
            {"host", node.host.empty() ? json() : json(node.host)},
            {"pid", node.pid ? json(*node.pid) : json()},
            {"threads", node.threads ? json(*node.threads) : json()},
            {"clock_offset_start_us", node.clock.start_us},
            {"clock_offset_end_us", node.clock.end_us},
            {"clock_error_us", node.clock.round_trip_us / 2}};
}

/// What viewers show of the whole trace.
json description_of(const TraceSource& source) {
    auto nodes = json::array();
    for (const auto& node : source.nodes) nodes.push_back(description_of(node));
    return {{"name", source.name}, {"run_id", source.run_id}, {"convoy", source.version}, {"nodes", nodes}};
}

void write_node(const TraceSource& source, const TraceNode& node, TraceEvents& events, RankArrows& arrows) {
    const auto slices = source.slices_of(node.node);
    if (slices.empty()) return;
    const TraceThread process{node.node, 0};
    events.metadata("process_name", process, {{"name", name_of(node)}});
    events.metadata("process_sort_index", process, {{"sort_index", node.node}});
    const TraceClock clock(slices, node.clock);
    write_node_slices(slices, clock, events, arrows);
    TraceCounters counters(slices, clock, events);
    source.readings_of(node.node, [&](const SystemSample& reading) { counters.add(reading); });
}

}  // namespace

void write_trace_json(const TraceSource& source, const std::function<void(std::string_view)>& write) {
    auto origin_ns = std::numeric_limits<std::int64_t>::max();
    for (const auto& node : source.nodes)
        origin_ns = std::min(origin_ns, TraceClock(source.slices_of(node.node), node.clock).first_ns());
    TraceEvents events(write, origin_ns);
    RankArrows arrows(events);
    for (const auto& node : source.nodes) write_node(source, node, events, arrows);
    events.finish(description_of(source));
}

}  // namespace convoy
