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
        if (unusual && !matters) lines.push_back(fmt::format("$.{} has no effect {}", field, where));
    };
    look_at("dataset.chunk_cache_bytes",
            spec.dataset.npy && spec.dataset.npy->chunk_cache_bytes != NpySpec{}.chunk_cache_bytes,
            spec.dataset.npy && spec.dataset.npy->format == ArrayFormat::hdf5 && !spec.input_pipeline.cache,
            "but with HDF5 files that are read for each batch, so with input_pipeline.cache false");
    const auto& sharding = spec.sharding;
    look_at("sharding.shards_per_node", sharding.shards_per_node != ShardingSpec{}.shards_per_node,
            sharding.scheme == ShardingScheme::by_label, "but with the scheme by_label");
    look_at("sharding.alpha", sharding.alpha != ShardingSpec{}.alpha,
            sharding.scheme == ShardingScheme::dirichlet, "but with the scheme dirichlet");
    const bool cuts = chosen.name == StrategyName::hybrid;
    const bool sums_gradients =
        chosen.name == StrategyName::ring_allreduce || chosen.name == StrategyName::local || cuts;
    const bool sums_stages = chosen.name == StrategyName::model_split && chosen.replicas > 1;
    const bool pushes = chosen.name == StrategyName::parameter_server;
    const bool clips_globally = spec.gradient_clipping && spec.gradient_clipping->by == ClipBy::global_norm;
    look_at("strategy.average_every", chosen.average_every != usual.average_every,
            chosen.name == StrategyName::local_sgd, "but with the strategy local_sgd");
    look_at("strategy.servers", chosen.servers != usual.servers, pushes,
            "but with the strategy parameter_server");
    look_at("strategy.slice_bytes", chosen.slice_bytes.has_value(),
            pushes && chosen.staleness == 0 && chosen.commit == CommitPoint::by_bucket && !clips_globally,
            "but with the strategy parameter_server, where servers answer slice by slice");
    look_at("strategy.staleness", chosen.staleness != usual.staleness, pushes,
            "but with the strategy parameter_server");
    look_at("strategy.cut_layers", chosen.cut_layers.has_value(), cuts, "but with the strategy hybrid");
    look_at("strategy.wire_type", chosen.wire_type != usual.wire_type,
            sums_gradients || sums_stages || pushes, "with a strategy that sums no gradients");
    look_at("strategy.top_k", chosen.top_k != usual.top_k, chosen.wire_type == WireType::top_k,
            "but with the wire type top_k");
    look_at("strategy.segment_bytes", chosen.segment_bytes != usual.segment_bytes,
            chosen.wire_type != WireType::top_k, "with the wire type top_k, whose pieces travel whole");
    const bool by_mpi = chosen.algorithm == AllReduceAlgorithm::mpi;
    look_at("strategy.segment_bytes", chosen.segment_bytes != usual.segment_bytes, !by_mpi,
            "with the algorithm mpi, which cuts messages itself");
    look_at("strategy.connections", chosen.connections != usual.connections, !by_mpi,
            "with the algorithm mpi, which has connections of its own");
    look_at("strategy.bucket_bytes", chosen.bucket_bytes != usual.bucket_bytes,
            chosen.bucketing == Bucketing::by_size, "but with the bucketing by_size");
    look_at("strategy.overlap", chosen.overlap != usual.overlap, sums_gradients || sums_stages || pushes,
            "with a strategy that sums no gradients");
    look_at("strategy.overlap_forward", chosen.overlap_forward,
            ((sums_gradients && !cuts) || pushes) && chosen.overlap && !clips_globally,
            "without overlap, with the strategy hybrid or one that sums no gradients, or where gradients are "
            "clipped by their global norm");
    const bool has_stages = chosen.name == StrategyName::model_split;
    look_at("strategy.replicas", chosen.replicas != usual.replicas, has_stages,
            "but with the strategy model_split");
    look_at("strategy.micro_batches", chosen.micro_batches != usual.micro_batches, has_stages,
            "but with the strategy model_split");
    look_at("strategy.schedule", chosen.schedule != usual.schedule, has_stages && chosen.micro_batches > 1,
            "but with the strategy model_split and several micro_batches");
    const bool shares_kernels = chosen.name == StrategyName::filter_parallel;
    look_at("strategy.shares", chosen.shares != usual.shares, shares_kernels,
            "but with the strategy filter_parallel");
    look_at("strategy.sub_batches", chosen.sub_batches != usual.sub_batches, shares_kernels,
            "but with the strategy filter_parallel");
    look_at("strategy.balance", chosen.balance != usual.balance, !has_stages && !shares_kernels,
            "with the strategies model_split and filter_parallel, whose nodes or replicas take no unequal "
            "shares");
    look_at("strategy.commit", chosen.commit != usual.commit, sums_gradients || sums_stages || pushes,
            "with a strategy that sums no gradients");
    look_at("strategy.calibration", chosen.calibration.has_value(),
            chosen.algorithm == AllReduceAlgorithm::automatic && chosen.calibration &&
                chosen.calibration->nodes == (sums_stages ? chosen.replicas : spec.world_size()),
            "but with the algorithm auto and sums over as many nodes as it was measured with");
    look_at("failures.restarts", spec.failures.restarts != FailureSpec{}.restarts,
            spec.failures.policy == FailurePolicy::restart || spec.failures.grow,
            "but with the policy restart, and with grow");
    for (std::size_t i = 0; i < spec.faults.at_steps.size(); ++i) {
        const auto& fault = spec.faults.at_steps[i];
        look_at(fmt::format("faults[{}].factor", i), fault.factor != FaultSpec{}.factor,
                fault.kind == FaultKind::slow, "but with the kind slow");
    }
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
