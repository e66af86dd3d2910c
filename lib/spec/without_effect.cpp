#include "spec/without_effect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace convoy {

std::vector<std::string> fields_without_effect(const ExperimentSpec& spec) {
    const StrategySpec usual;
    const auto& chosen = spec.strategy;
    std::vector<std::string> lines;
    const auto look_at = [&](std::string_view field, bool unusual, bool matters, std::string_view where) {
        if (unusual && !matters) lines.push_back(fmt::format("$.strategy.{} has no effect {}", field, where));
    };
    const bool cuts = chosen.name == StrategyName::hybrid;
    const bool sums_gradients =
        chosen.name == StrategyName::ring_allreduce || chosen.name == StrategyName::local || cuts;
    const bool pushes = chosen.name == StrategyName::parameter_server;
    const bool clips_globally = spec.gradient_clipping && spec.gradient_clipping->by == ClipBy::global_norm;
    look_at("average_every", chosen.average_every != usual.average_every,
            chosen.name == StrategyName::local_sgd, "but with the strategy local_sgd");
    look_at("servers", chosen.servers != usual.servers, pushes, "but with the strategy parameter_server");
    look_at("cut_layers", chosen.cut_layers.has_value(), cuts, "but with the strategy hybrid");
    look_at("wire_type", chosen.wire_type != usual.wire_type, sums_gradients || pushes,
            "with a strategy that sums no gradients");
    look_at("top_k", chosen.top_k != usual.top_k, chosen.wire_type == WireType::top_k,
            "but with the wire type top_k");
    look_at("segment_bytes", chosen.segment_bytes != usual.segment_bytes, chosen.wire_type != WireType::top_k,
            "with the wire type top_k, whose pieces travel whole");
    look_at("bucket_bytes", chosen.bucket_bytes != usual.bucket_bytes, chosen.bucketing == Bucketing::by_size,
            "but with the bucketing by_size");
    look_at("overlap", chosen.overlap != usual.overlap, sums_gradients || pushes,
            "with a strategy that sums no gradients");
    look_at("overlap_forward", chosen.overlap_forward,
            sums_gradients && !cuts && chosen.overlap && !clips_globally,
            "without overlap, with the strategy hybrid or one that sums no gradients, or where gradients are "
            "clipped by their global norm");
    look_at("balance", chosen.balance != usual.balance, chosen.name != StrategyName::model_split,
            "with the strategy model_split, whose nodes take the same examples");
    look_at("commit", chosen.commit != usual.commit, sums_gradients || pushes,
            "with a strategy that sums no gradients");
    look_at("calibration", chosen.calibration.has_value(),
            chosen.algorithm == AllReduceAlgorithm::automatic && chosen.calibration &&
                chosen.calibration->nodes == spec.world_size(),
            "but with the algorithm auto and as many nodes as it was measured with");
    if (const auto* measured = spec.measured()) {
        const bool fits =
            std::ssize(measured->nodes) == spec.world_size() || measured->hosts == spec.host_count() ||
            std::ranges::count(measured->all_reduce, spec.world_size(), &AllReduceChoice::nodes) > 0;
        if (!fits)
            lines.emplace_back("$.calibration has no effect: it was measured with other nodes and hosts");
    }
    return lines;
}

}  // namespace convoy
