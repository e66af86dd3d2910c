#include "report/parts_table.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/columns.hpp"

namespace convoy {
namespace {

constexpr std::string_view weight_suffix = ".weight";

/// What one node holds of a layer, and computes in it.
struct Share {
    std::int64_t node = 0;
    HeldPart part;
    double compute_us = 0.0;  ///< of a step
};

struct CutLayer {
    std::string name;
    std::vector<Share> shares;

    [[nodiscard]] double mean_us() const {
        double sum = 0.0;
        for (const auto& share : shares) sum += share.compute_us;
        return sum / static_cast<double>(shares.size());
    }
};

/// Copies of channels between ranks, which have the layer's name, too.
bool copies(const OperatorRecord& row) {
    return row.communication || row.kind == "concat" || row.kind == "slice";
}

/// The time of each node in the operators of each layer in training, but for exchanges and copies.
std::map<std::pair<std::int64_t, std::string>, double> computation(const RunResults& results) {
    std::map<std::pair<std::int64_t, std::string>, double> times;
    for (const auto& row : results.operators) {
        if (row.phase == RunPhase::train && !copies(row)) times[{row.node, row.name}] += row.total_us;
    }
    return times;
}

/// In the order in which the network has the layers.
std::vector<CutLayer> cut_layers(const RunResults& results) {
    const auto times = computation(results);
    std::vector<CutLayer> layers;
    std::map<std::string, std::size_t> place;
    for (const auto& node : results.summaries) {
        for (const auto& part : node.parts) {
            if (!part.parameter.ends_with(weight_suffix)) continue;
            const auto name = part.parameter.substr(0, part.parameter.size() - weight_suffix.size());
            const auto [found, is_new] = place.emplace(name, layers.size());
            if (is_new) layers.push_back({.name = name, .shares = {}});
            const auto time = times.find({node.node, name});
            const double steps = node.steps > 0 ? static_cast<double>(node.steps) : 1.0;
            layers[found->second].shares.push_back(
                {node.node, part, time == times.end() ? 0.0 : time->second / steps});
        }
    }
    return layers;
}

}  // namespace

Table parts_table(const RunResults& results) {
    using namespace columns;
    Table table{"parts", "Layers that are cut over the nodes", {}, {}};
    table.columns = {words("layer"),    count("node"),    detail(count("first"), 3),
                     count("count"),    percent("share"), microseconds("compute_per_step"),
                     percent("of_mean")};
    table.columns[4].bar = true;
    for (const auto& layer : cut_layers(results)) {
        const auto mean = layer.mean_us();
        for (const auto& [node, part, compute_us] : layer.shares) {
            table.rows.push_back({layer.name, node, part.first, part.count,
                                  share_pct(static_cast<double>(part.count), static_cast<double>(part.of)),
                                  compute_us, share_pct(compute_us, mean)});
        }
    }
    return table;
}

}  // namespace convoy
