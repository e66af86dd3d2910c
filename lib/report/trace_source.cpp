#include "report/trace_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_integer.hpp"
#include "base/json_text.hpp"

namespace convoy {

namespace {

using nlohmann::json;

/// The value of a key, or null.
json value_of(const json& object, const char* key) {
    return object.is_object() ? object.value(key, json()) : json();
}

std::string text_in(const json& value) {
    return value.is_string() ? value.get<std::string>() : "";
}

std::vector<TraceNode> nodes_of(const JournalFolder& journals, const RunResults& results,
                                const json& environment) {
    std::vector<TraceNode> nodes;
    for (const auto rank : journals.ranks()) {
        auto& node = nodes.emplace_back();
        node.node = rank;
        const auto summary = std::ranges::find(results.summaries, rank, &NodeSummary::node);
        if (summary == results.summaries.end()) continue;
        node.clock = summary->clock;
        node.threads = summary->threads;
        if (summary->contention) node.host = summary->contention->machine;
    }
    const auto known = value_of(environment, "nodes");
    if (!known.is_array()) return nodes;
    for (const auto& each : known) {
        const auto rank = value_of(each, "rank"), pid = value_of(each, "pid");
        if (!is_integer_of<std::int64_t>(rank)) continue;
        const auto node = std::ranges::find(nodes, rank.get<std::int64_t>(), &TraceNode::node);
        if (node == nodes.end()) continue;
        if (node->host.empty()) node->host = text_in(value_of(each, "host"));
        if (is_integer_of<std::int64_t>(pid)) node->pid = pid.get<std::int64_t>();
    }
    return nodes;
}

/// "0.2.0 (8d3e21a0b4c5)", as far as it is known.
std::string version_in(const json& environment) {
    const auto version = text_in(value_of(value_of(environment, "versions"), "convoy"));
    const auto commit = text_in(value_of(value_of(environment, "build"), "commit"));
    return commit.empty() ? version : fmt::format("{} ({})", version, commit);
}

}  // namespace

TraceSource trace_source(const JournalFolder& journals, const RunResults& results,
                         const std::string& environment) {
    const auto parsed = json_or_null(environment);
    return {.name = results.name,
            .run_id = results.run_id,
            .version = version_in(parsed),
            .nodes = nodes_of(journals, results, parsed),
            .slices_of = [&journals](std::int64_t rank) { return journals.slices_of(rank); },
            .readings_of =
                [&journals](std::int64_t rank, const std::function<void(const SystemSample&)>& take) {
                    JournalReader reader(journals.records_of(rank));
                    while (const auto part = reader.next(static_cast<std::uint32_t>(RecordKind::system)))
                        std::ranges::for_each(part->system, take);
                }};
}

}  // namespace convoy
