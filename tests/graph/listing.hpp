#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "graph/graph.hpp"

namespace convoy::test {

/// The operators of a graph, one a line: "Kind name: inputs -> outputs", and what was folded in parentheses.
inline std::vector<std::string> listing(const Graph& graph) {
    const auto names = [&](const std::vector<TensorId>& ids) {
        std::vector<std::string> found;
        for (const auto id : ids) found.push_back(graph.tensor(id).name);
        return fmt::format("{}", fmt::join(found, ", "));
    };
    std::vector<std::string> lines;
    for (const auto& op : graph.operators) {
        auto line = fmt::format("{} {}: {} -> {}", operator_name(op.kind), op.name, names(op.inputs),
                                names(op.outputs));
        std::vector<std::string_view> folded;
        for (const auto kind : op.folded) folded.push_back(operator_name(kind));
        if (!folded.empty()) line += fmt::format(" ({})", fmt::join(folded, " + "));
        lines.push_back(line);
    }
    return lines;
}

/// The lines of a listing from the first that starts with this.
inline std::vector<std::string> from_line(const std::vector<std::string>& lines, const std::string& start) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].starts_with(start)) return {lines.begin() + static_cast<std::ptrdiff_t>(i), lines.end()};
    }
    return {};
}

}  // namespace convoy::test
