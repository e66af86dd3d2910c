#include "spec/run_identity.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "base/json_text.hpp"
#include "base/sha256.hpp"
#include "base/version.hpp"
#include "spec/parse.hpp"
#include "spec/sections.hpp"

namespace convoy {

using nlohmann::json;

namespace {

/// Leaves out the fields of layers that older versions did not know, where they have their defaults.
void leave_out_later_fields(json& model) {
    for (auto& layer : model.at("layers")) {
        if (layer.at("type") == "dense" && layer.at("l2") == 0.0) layer.erase("l2");
        if (layer.at("type") != "conv2d") continue;
        if (layer.at("groups") == 1) layer.erase("groups");
        if (layer.at("bias") == true) layer.erase("bias");
    }
}

/// Leaves out the speeds that older versions did not measure, where they are absent.
void leave_out_of_calibration(json& calibration) {
    if (!calibration.is_object()) return;  // the path of a file, or none
    const auto leave_out = [](json& speeds) {
        if (speeds.at("pooling_gb_s").is_null()) speeds.erase("pooling_gb_s");
    };
    for (auto& node : calibration.at("nodes")) {
        leave_out(node);
        for (auto& layer : node.at("layers")) leave_out(layer);
    }
}

/// Leaves out the fields of a strategy that older versions did not know, if they have their defaults, and
/// those that its strategy does not use.
void leave_out_of_strategy(json& resolved, const StrategySpec& strategy) {
    const std::array<std::pair<const char*, bool>, 17> unused{
        {{"calibration", !strategy.calibration},
         {"servers", strategy.servers == 1},
         {"slice_bytes", !strategy.slice_bytes},
         {"staleness", strategy.staleness == 0},
         {"stages", strategy.stages.empty()},
         {"replicas", strategy.replicas == 1},
         {"micro_batches", strategy.micro_batches == 1},
         {"schedule", strategy.schedule == PipelineSchedule::fill_drain},
         {"cut_layers", !strategy.cut_layers},
         {"connections", strategy.connections == 1},
         {"balance", strategy.balance == BalanceSpec{}},
         {"shares", strategy.name != StrategyName::filter_parallel},
         {"sub_batches", strategy.sub_batches == 1},
         {"commit", strategy.commit == CommitPoint::by_bucket},
         {"overlap_forward", !strategy.overlap_forward},
         {"top_k", strategy.wire_type != WireType::top_k},
         {"batch_norm_statistics", strategy.batch_norm_statistics == BatchNormStatistics::per_node}}};
    for (const auto& [field, is_unused] : unused)
        if (is_unused) resolved.erase(field);
}

/// Leaves out where the files of a dataset are fetched from: a manifest, or the hash behind an address, says
/// which files these are.
void leave_out_places(json& dataset) {
    if (!dataset.is_string() && !dataset.is_structured()) return;
    if (dataset.is_structured()) {
        if (dataset.is_object()) dataset.erase("source");
        for (auto& below : dataset) leave_out_places(below);
        return;
    }
    const auto& text = dataset.get_ref<const std::string&>();
    const auto hash = text.find('#');
    if (is_address(text) && hash != std::string::npos) dataset = text.substr(hash);
}

}  // namespace

json identifying_json(const ExperimentSpec& spec) {
    auto resolved = to_json(spec);
    if (auto& model = resolved.at("model"); model.contains("layers")) leave_out_later_fields(model);
    if (auto& model = resolved.at("model"); model.contains("classes") && model.at("classes").is_null())
        model.erase("classes");
    leave_out_places(resolved.at("dataset"));
    if (spec.dataset.npy && !spec.dataset.npy->label_scale) resolved.at("dataset").erase("label_scale");
    if (spec.dataset.npy && spec.dataset.npy->chunk_cache_bytes == NpySpec{}.chunk_cache_bytes)
        resolved.at("dataset").erase("chunk_cache_bytes");
    // The first steps were a number, and 20 of them the default.
    const auto traced = spec.measure.trace_steps.value_or(TraceStepsSpec{});
    if (traced.from == 1) resolved.at("measure")["trace_steps"] = traced.count;
    if (!spec.cluster) resolved.erase("cluster");
    if (!spec.calibration) resolved.erase("calibration");
    if (spec.calibration) leave_out_of_calibration(resolved.at("calibration"));
    if (!spec.checkpoints) resolved.erase("checkpoints");
    if (!spec.target) resolved.erase("target");
    if (spec.failures == FailureSpec{}) resolved.erase("failures");
    if (spec.faults.empty()) resolved.erase("faults");
    if (!spec.gradient_clipping) resolved.erase("gradient_clipping");
    leave_out_of_strategy(resolved.at("strategy"), spec.strategy);
    if (spec.sharding.scheme != ShardingScheme::by_label) resolved.at("sharding").erase("shards_per_node");
    if (spec.sharding.scheme != ShardingScheme::dirichlet) resolved.at("sharding").erase("alpha");
    if (!spec.input_pipeline.interleave) resolved.at("input_pipeline").erase("interleave");
    if (auto& nodes = resolved.at("nodes"); nodes.is_array()) {
        for (auto& node : nodes) {
            for (const auto* later : {"host", "kernels"})
                if (node.at(later).is_null()) node.erase(later);
        }
    }
    return resolved;
}

namespace {

/// SHA-256 over JSON that identifies a spec, convoy's version and the content of initial_weights.
std::string identity(const json& identifying, const ExperimentSpec& spec) {
    auto text = fmt::format("{}\nconvoy {}\n", json_text(identifying), version());
    if (spec.initial_weights) {
        const auto weights = read_bytes(*spec.initial_weights);
        text += sha256(weights);
    }
    return sha256(text);
}

/// The JSON with what the shares of the nodes follow from: the calibration, and where transfers count also
/// the links.
json with_shares(json of, const ExperimentSpec& spec) {
    const auto& strategy = spec.strategy;
    const bool shares_kernels = strategy.name == StrategyName::filter_parallel;
    const bool by_speed =
        shares_kernels ? strategy.shares.by != SharesBy::weights : strategy.balance.by == BalanceBy::speed;
    if (by_speed && spec.measured()) of["calibration"] = to_json(*spec.measured());
    std::vector<const char*> decisive;
    if (shares_kernels && by_speed) decisive = {"nodes", "kernels"};  // blocks, and the work of tails
    if (shares_kernels && strategy.shares.by == SharesBy::optimal) decisive.push_back("cluster");
    if (strategy.name == StrategyName::model_split && strategy.stages.count > 0)
        decisive = {"calibration", "cluster", "nodes", "kernels"};  // of stages that convoy chooses
    const auto all = to_json(spec);
    for (const auto* field : decisive) of[field] = all.at(field);
    if (of.contains("calibration")) leave_out_of_calibration(of["calibration"]);
    return of;
}

}  // namespace

std::string run_id(const ExperimentSpec& spec) {
    return identity(identifying_json(spec), spec);
}

std::string training_id(const ExperimentSpec& spec) {
    auto training = identifying_json(spec);
    for (const auto* field : {"name", "cluster", "calibration", "kernels", "measure", "checkpoints",
                              "deadline_s", "failures", "faults"})
        training.erase(field);
    if (spec.strategy.name == StrategyName::independent || spec.schedule.scale_by_nodes) {
        training["nodes"] = spec.world_size();
        return identity(with_shares(training, spec), spec);
    }
    training.erase("nodes");
    training.erase("strategy");
    // A server counts the updates of all workers, and optimizers such as adam go by this count.
    if (is_asynchronous(spec.strategy)) training["asynchronous_workers"] = spec.world_size();
    return identity(training, spec);
}

std::string distribution_id(const ExperimentSpec& spec) {
    const json distribution{{"nodes", spec.world_size()},
                            {"strategy", identifying_json(spec).at("strategy")}};
    return sha256(json_text(with_shares(distribution, spec)));
}

}  // namespace convoy
