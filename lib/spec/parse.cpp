#include "spec/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/json_text.hpp"
#include "base/sha256.hpp"
#include "base/version.hpp"
#include "spec/codecs.hpp"
#include "spec/fields.hpp"
#include "spec/sections.hpp"

namespace convoy {
namespace {

using nlohmann::json;

constexpr std::size_t most_spec_bytes = std::size_t{1} << 20U;
constexpr std::int64_t most_nodes = 4096;

constexpr auto strategies = choice<StrategyName>({{"local", StrategyName::local},
                                                  {"ring_allreduce", StrategyName::ring_allreduce},
                                                  {"local_sgd", StrategyName::local_sgd},
                                                  {"independent", StrategyName::independent}});
constexpr auto bucketings = choice<Bucketing>({{"by_size", Bucketing::by_size},
                                               {"per_tensor", Bucketing::per_tensor},
                                               {"end_of_step", Bucketing::end_of_step}});
constexpr auto statistics = choice<BatchNormStatistics>(
    {{"per_node", BatchNormStatistics::per_node}, {"synchronised", BatchNormStatistics::synchronised}});
constexpr Choice<AllReduceAlgorithm, all_reduce_algorithm_names.size()> all_reduce_algorithms{
    all_reduce_algorithm_names};
constexpr Choice<WireType, wire_type_names.size()> wire_types{wire_type_names};
constexpr auto schemes = choice<ShardingScheme>(
    {{"global_batch", ShardingScheme::global_batch}, {"contiguous", ShardingScheme::contiguous}});
constexpr auto evaluated_splits =
    choice<EvaluatedSplit>({{"validation", EvaluatedSplit::validation}, {"test", EvaluatedSplit::test}});
constexpr auto preparations = choice<Prepare>(
    {{"each_time", Prepare::each_time}, {"ahead", Prepare::ahead}, {"first_epoch", Prepare::first_epoch}});
constexpr auto stores =
    choice<PreparedStore>({{"memory", PreparedStore::memory}, {"disk", PreparedStore::disk}});
constexpr auto libraries =
    choice<KernelLibrary>({{"xtensor", KernelLibrary::xtensor}, {"onednn", KernelLibrary::onednn}});
constexpr auto algorithms = choice<ConvolutionAlgorithm>(
    {{"auto", ConvolutionAlgorithm::automatic}, {"direct", ConvolutionAlgorithm::direct}});
constexpr auto clippings =
    choice<ClipBy>({{"global_norm", ClipBy::global_norm}, {"norm", ClipBy::norm}, {"value", ClipBy::value}});
constexpr auto schedules = choice<ScheduleName>(
    {{"constant", ScheduleName::constant}, {"step", ScheduleName::step}, {"cosine", ScheduleName::cosine}});
constexpr auto layouts =
    choice<ParameterLayout>({{"auto", ParameterLayout::automatic}, {"plain", ParameterLayout::plain}});
constexpr auto compute_types =
    choice<ComputeType>({{"float32", ComputeType::float32}, {"bfloat16", ComputeType::bfloat16}});

}  // namespace

// Outside the unnamed namespace, so that Section finds them by their arguments.

template <typename Fields>
void declare(Fields& fields, NodeSpec& node) {
    fields.field("threads", node.threads, OrNull{Integer{1, 1024}});
}

template <typename Fields>
void declare(Fields& fields, ClusterSpec& cluster) {
    fields.field("hosts", cluster.hosts, OrNull{Integer{1, most_hosts}});
    fields.field("link_mbit", cluster.link_mbit, OrNull{Number{0.1, 1e6}});
    fields.field("cpu", cluster.cpu, OrNull{Number{0.05, 1024.0}});
    fields.field("memory_mb", cluster.memory_mb, OrNull{Integer{16, std::int64_t{1} << 30}});
}

template <typename Fields>
void declare(Fields& fields, AlgorithmRange& range) {
    fields.required("up_to_bytes", range.up_to_bytes, Integer{1, std::int64_t{1} << 40});
    fields.required("algorithm", range.algorithm, all_reduce_algorithms);
}

namespace {

/// A list in ascending order.
struct AlgorithmRanges {
    static constexpr std::size_t most = 64;

    [[nodiscard]] std::vector<AlgorithmRange> read(const json& found, const Place& place) const {
        if (!found.is_array() || found.size() > most) place.refuse(found, expected());
        std::vector<AlgorithmRange> ranges;
        for (std::size_t i = 0; i < found.size(); ++i) {
            ranges.push_back(Section<AlgorithmRange>{}.read(found[i], place.item(i)));
            if (i > 0 && ranges[i - 1].up_to_bytes >= ranges[i].up_to_bytes) place.refuse(found, expected());
        }
        return ranges;
    }
    [[nodiscard]] json write(const std::vector<AlgorithmRange>& ranges) const {
        auto list = json::array();
        for (const auto& range : ranges) list.push_back(Section<AlgorithmRange>{}.write(range));
        return list;
    }
    [[nodiscard]] std::string expected() const {
        return fmt::format("up to {} objects, ascending in up_to_bytes", most);
    }
};

}  // namespace

template <typename Fields>
void declare(Fields& fields, AllReduceCalibration& calibration) {
    fields.required("nodes", calibration.nodes, Integer{1, most_nodes});
    fields.required("ranges", calibration.ranges, AlgorithmRanges{});
    fields.required("beyond", calibration.beyond, all_reduce_algorithms);
}

template <typename Fields>
void declare(Fields& fields, TopKSpec& top_k) {
    fields.field("fraction", top_k.fraction, Number{0.0, 1.0, Number::Without::low});
}

template <typename Fields>
void declare(Fields& fields, StrategySpec& strategy) {
    fields.field("name", strategy.name, strategies);
    fields.field("overlap", strategy.overlap, Flag{});
    fields.field("overlap_forward", strategy.overlap_forward, Flag{});
    fields.field("bucketing", strategy.bucketing, bucketings);
    fields.field("bucket_bytes", strategy.bucket_bytes, Integer{1, std::int64_t{1} << 32});
    fields.field("algorithm", strategy.algorithm, all_reduce_algorithms);
    fields.field("calibration", strategy.calibration, OrNull{Section<AllReduceCalibration>{}});
    fields.field("segment_bytes", strategy.segment_bytes, Integer{64, 1 << 30});
    fields.field("wire_type", strategy.wire_type, wire_types);
    fields.field("top_k", strategy.top_k, Section<TopKSpec>{});
    fields.field("batch_norm_statistics", strategy.batch_norm_statistics, statistics);
    fields.field("connections", strategy.connections, Integer{1, 16});
    fields.field("average_every", strategy.average_every, Integer{1, 1'000'000});
}

template <typename Fields>
void declare(Fields& fields, GradientClipping& clipping) {
    fields.field("by", clipping.by, clippings);
    fields.required("limit", clipping.limit, Number{0.0, 1e6, Number::Without::low});
}

template <typename Fields>
void declare(Fields& fields, ScheduleSpec& schedule) {
    fields.field("name", schedule.name, schedules);
    fields.field("warm_up_epochs", schedule.warm_up_epochs, Number{0.0, 1e6});
    fields.field("scale_by_nodes", schedule.scale_by_nodes, Flag{});
    fields.field("every_epochs", schedule.every_epochs, Integer{1, 1'000'000});
    fields.field("factor", schedule.factor, Number{0.0, 1.0});
    fields.field("final_factor", schedule.final_factor, Number{0.0, 1.0});
}

template <typename Fields>
void declare(Fields& fields, EarlyStoppingSpec& stopping) {
    fields.field("patience", stopping.patience, OrNull{Integer{1, 1'000'000}});
    fields.field("min_improvement", stopping.min_improvement, Number{0.0, 1e6});
}

template <typename Fields>
void declare(Fields& fields, TargetSpec& target) {
    fields.required("accuracy", target.accuracy, Number{0.0, 1.0, Number::Without::low});
    fields.field("split", target.split, evaluated_splits);
    fields.field("stop", target.stop, Flag{});
}

template <typename Fields>
void declare(Fields& fields, ShardingSpec& sharding) {
    fields.field("scheme", sharding.scheme, schemes);
}

template <typename Fields>
void declare(Fields& fields, AugmentationSpec& augmentation) {
    fields.field("shift", augmentation.shift, Integer{0, 64});
    fields.field("flip", augmentation.flip, Flag{});
}

template <typename Fields>
void declare(Fields& fields, InterleaveSpec& interleave) {
    fields.required("cycle_length", interleave.cycle_length, Integer{1, 1000});
    fields.field("block_length", interleave.block_length, Integer{1, 1'000'000'000});
}

template <typename Fields>
void declare(Fields& fields, InputPipelineSpec& pipeline) {
    fields.field("cache", pipeline.cache, Flag{});
    fields.field("interleave", pipeline.interleave, OrNull{Section<InterleaveSpec>{}});
    fields.field("prepare", pipeline.prepare, preparations);
    fields.field("store", pipeline.store, stores);
    fields.field("shuffle", pipeline.shuffle, Flag{});
    fields.field("prefetch", pipeline.prefetch, Integer{0, 64});
    fields.field("augmentation", pipeline.augmentation, Section<AugmentationSpec>{});
}

template <typename Fields>
void declare(Fields& fields, KernelSpec& kernels) {
    fields.field("name", kernels.name, libraries);
    fields.field("fusion", kernels.fusion, Flag{});
    fields.field("convolution", kernels.convolution, algorithms);
    fields.field("parameter_layout", kernels.parameter_layout, layouts);
    fields.field("compute_type", kernels.compute_type, compute_types);
    fields.field("recompute", kernels.recompute, Flag{});
}

template <typename Fields>
void declare(Fields& fields, MeasureSpec& measure) {
    fields.field("sample_interval_s", measure.sample_interval_s, Number{0.01, 3600.0});
    fields.field("trace_steps", measure.trace_steps, Integer{0, 1000});
}

template <typename Fields>
void declare(Fields& fields, CheckpointSpec& checkpoints) {
    fields.required("every_steps", checkpoints.every_steps, Integer{1, 1'000'000'000});
    fields.field("keep", checkpoints.keep, Integer{1, 1000});
}

namespace {

/// A number of nodes, or one object per node.
struct NodeList {
    static constexpr Integer count{1, most_nodes};

    [[nodiscard]] std::vector<NodeSpec> read(const json& found, const Place& place) const {
        if (!found.is_array()) {
            if (!found.is_number()) place.refuse(found, expected());
            return std::vector<NodeSpec>(static_cast<std::size_t>(count.read(found, place)));
        }
        if (found.empty() || found.size() > most_nodes) place.refuse(found, expected());
        std::vector<NodeSpec> nodes;
        for (std::size_t i = 0; i < found.size(); ++i) {
            nodes.push_back(Section<NodeSpec>{}.read(found[i], place.item(i)));
        }
        return nodes;
    }
    /// A list only where it says more than the number, so that both forms have one run identity.
    [[nodiscard]] json write(const std::vector<NodeSpec>& nodes) const {
        if (std::ranges::all_of(nodes, [](const auto& node) { return node == NodeSpec{}; }))
            return nodes.size();
        json list = json::array();
        for (const auto& node : nodes) list.push_back(Section<NodeSpec>{}.write(node));
        return list;
    }
    [[nodiscard]] std::string expected() const {
        return fmt::format("an integer in [1, {}] or a list of as many objects", most_nodes);
    }
};

}  // namespace

template <typename Fields>
void declare(Fields& fields, ExperimentSpec& spec) {
    fields.field("name", spec.name, Identifier{"_-."});
    fields.required("dataset", spec.dataset, DatasetCodec{});
    fields.required("model", spec.model, ModelCodec{});
    fields.field("nodes", spec.nodes, NodeList{});
    fields.field("cluster", spec.cluster, OrNull{Section<ClusterSpec>{}});
    fields.field("batch_size", spec.batch_size, Integer{1, 1 << 20});
    fields.field("micro_batch_size", spec.micro_batch_size, OrNull{Integer{1, 1 << 20}});
    fields.field("epochs", spec.epochs, Integer{1, 1'000'000});
    fields.field("max_steps", spec.max_steps, OrNull{Integer{0, 1'000'000'000}});
    fields.field("seed", spec.seed, any_seed);
    fields.field("optimizer", spec.optimizer, OptimizerCodec{});
    fields.field("gradient_clipping", spec.gradient_clipping, OrNull{Section<GradientClipping>{}});
    fields.field("schedule", spec.schedule, Section<ScheduleSpec>{"name"});
    fields.field("early_stopping", spec.early_stopping, Section<EarlyStoppingSpec>{});
    fields.field("target", spec.target, OrNull{Section<TargetSpec>{}});
    fields.field("strategy", spec.strategy, Section<StrategySpec>{"name"});
    fields.field("sharding", spec.sharding, Section<ShardingSpec>{});
    fields.field("input_pipeline", spec.input_pipeline, Section<InputPipelineSpec>{});
    fields.field("kernels", spec.kernels, Section<KernelSpec>{"name"});
    fields.field("measure", spec.measure, Section<MeasureSpec>{});
    fields.field("checkpoints", spec.checkpoints, OrNull{Section<CheckpointSpec>{}});
    fields.field("deadline_s", spec.deadline_s, Number{0.1, 86400.0});
    fields.field("initial_weights", spec.initial_weights, OrNull{FilePath{}});
    fields.ignored("$schema");
}

namespace {

/// Statistics of all nodes take nodes that do the same steps on whole shares.
void check_statistics(const ExperimentSpec& spec, const Place& place) {
    const auto& strategy = spec.strategy;
    if (strategy.batch_norm_statistics == BatchNormStatistics::per_node) return;
    const auto refuse = [&](const std::string& with) {
        place.key("strategy")
            .key("batch_norm_statistics")
            .refuse(statistics.write(strategy.batch_norm_statistics), "\"per_node\" with " + with);
    };
    if (strategy.name != StrategyName::ring_allreduce && strategy.name != StrategyName::local)
        refuse(
            fmt::format("the strategy {}, whose nodes train apart", strategies.write(strategy.name).dump()));
    if (spec.micro_batch_size) refuse("$.micro_batch_size, which cuts shares into batches of their own");
}

/// Sparse gradients take nodes that sum gradients, by an algorithm that gathers pieces.
void check_top_k(const StrategySpec& strategy, const Place& place) {
    if (strategy.name != StrategyName::ring_allreduce)
        place.key("wire_type")
            .refuse(wire_types.write(strategy.wire_type),
                    fmt::format("\"float32\" with the strategy {}, whose nodes sum no gradients",
                                strategies.write(strategy.name).dump()));
    if (strategy.algorithm != AllReduceAlgorithm::automatic && strategy.algorithm != AllReduceAlgorithm::ring)
        place.key("algorithm")
            .refuse(all_reduce_algorithms.write(strategy.algorithm),
                    "\"auto\" or \"ring\" with the wire type \"top_k\", whose pieces are gathered");
}

/// What micro-batches leave room for: exact sums of gradients over all examples of a batch.
void check_micro_batches(const ExperimentSpec& spec, const Place& place) {
    const auto strategy = place.key("strategy");
    if (spec.strategy.name != StrategyName::ring_allreduce && spec.strategy.name != StrategyName::local)
        strategy.key("name").refuse(strategies.write(spec.strategy.name),
                                    "\"ring_allreduce\" or \"local\" with $.micro_batch_size");
    if (spec.strategy.wire_type != WireType::float32)
        strategy.key("wire_type")
            .refuse(wire_types.write(spec.strategy.wire_type), "\"float32\" with $.micro_batch_size");
    const auto cut = [&](std::int64_t share) {
        return (share + *spec.micro_batch_size - 1) / *spec.micro_batch_size;
    };
    const auto share = spec.batch_size / spec.world_size();
    const auto larger_shares = spec.batch_size % spec.world_size();
    const auto count = larger_shares * cut(share + 1) + (spec.world_size() - larger_shares) * cut(share);
    if (count > most_micro_batches)
        place.key("micro_batch_size")
            .refuse(*spec.micro_batch_size,
                    fmt::format("one that cuts a batch into at most {}, not {}", most_micro_batches, count));
}

void check_hosts(const ClusterSpec& cluster, std::int64_t nodes, const Place& place) {
    if (cluster.hosts && *cluster.hosts > nodes) {
        place.key("hosts").refuse(*cluster.hosts,
                                  fmt::format("at most one for each node, and there are {} nodes", nodes));
    }
    if (cluster.hosts_for(nodes) > most_hosts) {
        place.key("hosts").refuse(json(),
                                  fmt::format("a number up to {}, as there are {} nodes", most_hosts, nodes));
    }
}

/// What the reference kernels have no choice of.
void check_reference_kernels(const KernelSpec& kernels, const Place& place) {
    if (kernels.convolution != ConvolutionAlgorithm::automatic)
        place.key("convolution").refuse("direct", "\"auto\", or \"onednn\" as the kernels' name");
    if (kernels.parameter_layout != ParameterLayout::automatic)
        place.key("parameter_layout").refuse("plain", "\"auto\", or \"onednn\" as the kernels' name");
    if (kernels.compute_type != ComputeType::float32)
        place.key("compute_type").refuse("bfloat16", "\"float32\", or \"onednn\" as the kernels' name");
}

/// The rules that no field can check by itself.
void check_together(const ExperimentSpec& spec, const Place& place) {
    const auto nodes = spec.world_size();
    if (spec.batch_size < nodes) {
        place.key("batch_size")
            .refuse(spec.batch_size,
                    fmt::format("at least 1 example per node, and there are {} nodes", nodes));
    }
    if (spec.strategy.name == StrategyName::local && nodes != 1) {
        place.key("strategy")
            .key("name")
            .refuse("local", fmt::format("\"ring_allreduce\" for {} nodes, or 1 node", nodes));
    }
    if (spec.strategy.algorithm == AllReduceAlgorithm::pairwise && nodes > pairwise_max_nodes) {
        place.key("strategy")
            .key("algorithm")
            .refuse("pairwise", fmt::format("another one for more than {} nodes", pairwise_max_nodes));
    }
    check_statistics(spec, place);
    if (spec.micro_batch_size) check_micro_batches(spec, place);
    if (spec.strategy.wire_type == WireType::top_k) check_top_k(spec.strategy, place.key("strategy"));
    if (spec.cluster) check_hosts(*spec.cluster, nodes, place.key("cluster"));
    if (spec.kernels.name == KernelLibrary::xtensor)
        check_reference_kernels(spec.kernels, place.key("kernels"));
}

}  // namespace

ExperimentSpec parse_spec(const json& json, const std::string& source) {
    const Place place(source);
    auto spec = Section<ExperimentSpec>{}.read(json, place);
    check_together(spec, place);
    return spec;
}

ExperimentSpec load_spec(const std::filesystem::path& file, std::span<const std::string> overrides) {
    auto content = parse_json(read_text(file, most_spec_bytes), file.string());
    for (const auto& assignment : overrides) apply_override(content, assignment);
    auto spec = parse_spec(content, file.string());
    find_files_beside(spec, file.parent_path());
    return spec;
}

void find_files_beside(ExperimentSpec& spec, const std::filesystem::path& folder) {
    if (!spec.dataset.npy) return;
    const auto find = [&](std::vector<std::string>& paths) {
        for (auto& path : paths) {
            std::error_code problem;
            const auto beside = std::filesystem::absolute(folder / path).lexically_normal();
            if (std::filesystem::exists(beside, problem)) path = beside.string();
        }
    };
    auto& npy = *spec.dataset.npy;
    for (auto& input : npy.inputs) {
        find(input.files);
        if (input.test_files) find(*input.test_files);
    }
    find(npy.labels);
    if (npy.test_labels) find(*npy.test_labels);
}

json to_json(const ExperimentSpec& spec) {
    return Section<ExperimentSpec>{}.write(spec);
}

json identifying_json(const ExperimentSpec& spec) {
    auto resolved = to_json(spec);
    if (!spec.cluster) resolved.erase("cluster");
    if (!spec.checkpoints) resolved.erase("checkpoints");
    if (!spec.target) resolved.erase("target");
    if (!spec.gradient_clipping) resolved.erase("gradient_clipping");
    if (!spec.strategy.calibration) resolved["strategy"].erase("calibration");
    if (spec.strategy.connections == 1) resolved["strategy"].erase("connections");
    if (!spec.strategy.overlap_forward) resolved["strategy"].erase("overlap_forward");
    if (spec.strategy.wire_type != WireType::top_k) resolved["strategy"].erase("top_k");
    if (spec.strategy.batch_norm_statistics == BatchNormStatistics::per_node)
        resolved["strategy"].erase("batch_norm_statistics");
    if (!spec.input_pipeline.interleave) resolved.at("input_pipeline").erase("interleave");
    return resolved;
}

std::string run_id(const ExperimentSpec& spec) {
    auto text = fmt::format("{}\nconvoy {}\n", identifying_json(spec).dump(), version());
    if (spec.initial_weights) {
        const auto weights = read_bytes(*spec.initial_weights);
        text += sha256({reinterpret_cast<const char*>(weights.data()), weights.size()});
    }
    return sha256(text);
}

}  // namespace convoy
