#include "strategy/stage_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "strategy/layer_costs.hpp"

namespace convoy {

std::optional<std::vector<std::size_t>> best_cut(std::size_t layers, std::size_t stages,
                                                 const StageSeconds& seconds) {
    constexpr double never = std::numeric_limits<double>::infinity();
    // By stage and number of layers: the least time of the slowest stage so far, and where its last begins.
    std::vector slowest(stages + 1, std::vector(layers + 1, never));
    std::vector begins(stages + 1, std::vector<std::size_t>(layers + 1, 0));
    slowest[0][0] = 0.0;
    for (std::size_t stage = 0; stage < stages; ++stage) {
        for (std::size_t end = 1; end <= layers; ++end) {
            for (std::size_t first = 0; first < end; ++first) {
                if (slowest[stage][first] == never) continue;
                const auto own = seconds({.first = first, .end = end}, stage);
                if (!own) continue;
                const auto all = std::max(slowest[stage][first], *own);
                if (all >= slowest[stage + 1][end]) continue;
                slowest[stage + 1][end] = all;
                begins[stage + 1][end] = first;
            }
        }
    }
    if (slowest[stages][layers] == never) return std::nullopt;
    std::vector<std::size_t> ends(stages);
    for (auto stage = stages, end = layers; stage > 0; --stage) {
        ends[stage - 1] = end;
        end = begins[stage][end];
    }
    return ends;
}

namespace {

/// The end of each stage, as best_cut has them.
std::vector<std::size_t> ends_of_stages(const LayerCosts& costs, std::size_t stages) {
    const auto layers = costs.names().size();
    if (layers < stages) {
        throw DataError(
            fmt::format("$.strategy.stages: found {}, but the network has {} layers", stages, layers));
    }
    // A host gives its nodes equal parts here, but one of them may read the data of all. Where no cut has
    // room for the data, the check of the run's memory decides, and names the remedy.
    for (const auto data : {DataCounts::yes, DataCounts::no}) {
        auto ends = best_cut(layers, stages, [&](LayerRange range, std::size_t stage) {
            return costs.seconds(range, stage, data);
        });
        if (ends) return *std::move(ends);
    }
    throw DataError(fmt::format(
        "$.strategy.stages: no cut into {} stages fits the memory of the hosts; use more nodes, or more "
        "micro_batches with the schedule \"1f1b\"",
        stages));
}

}  // namespace

std::vector<std::vector<std::string>> chosen_stages(const ExperimentSpec& spec, const DataShape& shape,
                                                    const Graph& training, const ClusterModel& cluster) {
    const LayerCosts costs(spec, shape, training, cluster);
    const auto& names = costs.names();
    const auto stages = static_cast<std::size_t>(spec.strategy.stages.count);
    std::vector<std::vector<std::string>> layers;
    std::size_t first = 0;
    for (const auto end : ends_of_stages(costs, stages)) {
        layers.emplace_back(names.begin() + static_cast<std::ptrdiff_t>(first),
                            names.begin() + static_cast<std::ptrdiff_t>(end));
        first = end;
    }
    return layers;
}

StagePrediction predicted_stages(const ExperimentSpec& spec, const DataShape& shape, const Graph& training,
                                 const ClusterModel& cluster) {
    const auto count = static_cast<std::size_t>(spec.strategy.stages.count);
    const LayerCosts costs(spec, shape, training, cluster);
    const auto ends = ends_of_stages(costs, count);
    std::vector<std::size_t> placed;
    for (std::size_t stage = 0; stage < count; ++stage) placed.resize(ends[stage], stage);
    return {.chosen_s = costs.slowest(placed, count), .greedy_s = costs.slowest(costs.greedy(count), count)};
}

}  // namespace convoy
