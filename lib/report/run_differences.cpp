#include "report/run_differences.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <vector>

#include "base/count_text.hpp"
#include "base/files.hpp"
#include "base/json_integer.hpp"
#include "base/json_text.hpp"
#include "report/json_differences.hpp"
#include "report/run_folder_format.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t nodes_told = 10;  // of which lines are told

std::map<std::int64_t, nlohmann::json> nodes_of(const nlohmann::json& environment) {
    std::map<std::int64_t, nlohmann::json> nodes;
    if (!environment.contains("nodes")) return nodes;
    for (const auto& node : environment.at("nodes")) {
        const auto rank = node.contains("rank") ? node.at("rank") : nlohmann::json();
        if (!is_integer_of<std::int64_t>(rank)) continue;
        auto& kept = nodes[rank.get<std::int64_t>()];
        for (const auto* key : {"host", "threads"})
            if (node.contains(key)) kept[key] = node.at(key);
    }
    return nodes;
}

/// Writes out a number of nodes as a list of nodes, so that it can be compared with one.
void list_nodes(nlohmann::json& spec) {
    constexpr std::size_t most_nodes = 1024;
    const auto nodes = spec.find("nodes");
    if (nodes == spec.end() || !is_integer_of<std::size_t>(*nodes) || *nodes > most_nodes) return;
    const nlohmann::json usual{{"host", nullptr}, {"kernels", nullptr}, {"threads", nullptr}};
    *nodes = nlohmann::json::array_t(nodes->get<std::size_t>(), usual);
}

/// Whether a run has fewer nodes and servers than its spec asks for.
bool lost_nodes(const DescribedRuns& run) {
    const nlohmann::json::json_pointer nodes("/nodes"), strategy("/strategy/name"),
        servers("/strategy/servers");
    if (!run.spec.contains(nodes) || !run.spec.at(nodes).is_array()) return false;
    auto asked = run.spec.at(nodes).size();
    const bool serves = run.spec.contains(strategy) && run.spec.at(strategy) == "parameter_server";
    if (serves && run.spec.contains(servers) && is_integer_of<std::size_t>(run.spec.at(servers)))
        asked += run.spec.at(servers).get<std::size_t>();
    return run.nodes.size() < asked;
}

std::vector<std::string> node_differences(const DescribedRuns& a, const DescribedRuns& b) {
    if (a.nodes.empty() || b.nodes.empty()) return {};
    std::vector<std::string> lines;
    if (a.nodes.size() != b.nodes.size())
        lines.push_back(fmt::format("{} in A, {} in B", count_text(a.nodes.size(), "node"),
                                    count_text(b.nodes.size(), "node")));
    if (lost_nodes(a) || lost_nodes(b)) return lines;
    std::size_t differ = 0;
    for (const auto& [rank, node] : a.nodes) {
        const auto other = b.nodes.find(rank);
        if (other == b.nodes.end() || node == other->second) continue;
        if (++differ > nodes_told) continue;
        for (const auto& line : json_differences(node, other->second))
            lines.push_back(fmt::format("$.nodes.{}{}", rank, std::string_view(line).substr(1)));
    }
    if (differ > nodes_told) lines.push_back("and " + count_text(differ - nodes_told, "more node"));
    return lines;
}

}  // namespace

nlohmann::json json_in(const fs::path& file) {
    if (!is_present(file)) return nlohmann::json::object();
    return parse_json(read_file_text(file), file.string());
}

DescribedRuns described_run(const fs::path& folder) {
    DescribedRuns run{.spec = json_in(folder / spec_file), .environment = json_in(folder / environment_file)};
    if (run.spec.is_object()) list_nodes(run.spec);
    run.nodes = nodes_of(run.environment);
    return run;
}

std::string differences_text(const DescribedRuns& a, const DescribedRuns& b) {
    // These differ between any two runs. Nodes come last, as they are many.
    constexpr std::array<std::string_view, 5> not_here{"accepted_changes", "command", "date_utc", "nodes",
                                                       "warnings"};
    std::string text;
    const auto add = [&text](const char* of, const std::vector<std::string>& lines) {
        for (const auto& line : lines) text += fmt::format("  {}: {}\n", of, line);
    };
    add("spec", json_differences(a.spec, b.spec));
    add("machine, build or data", json_differences(a.environment, b.environment, not_here));
    add("machine", node_differences(a, b));
    return text.empty() ? "A and B have the same spec, machine, build and data\n"
                        : "A and B differ:\n" + text;
}

}  // namespace convoy
