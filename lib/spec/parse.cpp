#include "spec/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json_text.hpp"
#include "spec/codecs.hpp"
#include "spec/fields.hpp"
#include "spec/rules.hpp"
#include "spec/sections.hpp"

namespace convoy {
namespace {

using nlohmann::json;

constexpr std::size_t most_spec_bytes = std::size_t{1} << 20U;

constexpr Choice<ShardingScheme, sharding_scheme_names.size()> schemes{sharding_scheme_names};
constexpr auto evaluated_splits =
    choice<EvaluatedSplit>({{"validation", EvaluatedSplit::validation}, {"test", EvaluatedSplit::test}});
constexpr auto preparations = choice<Prepare>(
    {{"each_time", Prepare::each_time}, {"ahead", Prepare::ahead}, {"first_epoch", Prepare::first_epoch}});
constexpr auto stores =
    choice<PreparedStore>({{"memory", PreparedStore::memory}, {"disk", PreparedStore::disk}});
constexpr auto clippings =
    choice<ClipBy>({{"global_norm", ClipBy::global_norm}, {"norm", ClipBy::norm}, {"value", ClipBy::value}});
constexpr auto policies = choice<FailurePolicy>({{"abort", FailurePolicy::abort},
                                                 {"restart", FailurePolicy::restart},
                                                 {"shrink", FailurePolicy::shrink}});
constexpr Integer traced_at_most{0, 1000};
constexpr auto schedules = choice<ScheduleName>(
    {{"constant", ScheduleName::constant}, {"step", ScheduleName::step}, {"cosine", ScheduleName::cosine}});

}  // namespace

// Outside the unnamed namespace, so that Section finds them by their arguments.

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
    fields.field("shards_per_node", sharding.shards_per_node, Integer{1, 1000});
    fields.field("alpha", sharding.alpha, Number{0.0, 1e6, Number::Without::low});
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
void declare(Fields& fields, TraceStepsSpec& steps) {
    fields.field("from", steps.from, Integer{1, 1'000'000'000});
    fields.field("count", steps.count, traced_at_most);
}

namespace {

/// A number of first steps, or {"from": ..., "count": ...}, or null.
struct TraceStepsCodec {
    [[nodiscard]] static std::optional<TraceStepsSpec> read(const json& found, const Place& place) {
        if (found.is_null()) return std::nullopt;
        if (found.is_object()) return Section<TraceStepsSpec>{}.read(found, place);
        if (!found.is_number()) place.refuse(found, expected());
        return TraceStepsSpec{.from = 1, .count = traced_at_most.read(found, place)};
    }
    [[nodiscard]] static json write(const std::optional<TraceStepsSpec>& steps) {
        return steps ? Section<TraceStepsSpec>{}.write(*steps) : json();
    }
    [[nodiscard]] static std::string expected() {
        return traced_at_most.expected() + R"(, {"from": ..., "count": ...}, or null)";
    }
};

}  // namespace

template <typename Fields>
void declare(Fields& fields, MeasureSpec& measure) {
    fields.field("sample_interval_s", measure.sample_interval_s, Number{0.01, 3600.0});
    fields.field("trace_steps", measure.trace_steps, TraceStepsCodec{});
}

template <typename Fields>
void declare(Fields& fields, CheckpointSpec& checkpoints) {
    fields.required("every_steps", checkpoints.every_steps, Integer{1, 1'000'000'000});
    fields.field("keep", checkpoints.keep, Integer{1, 1000});
}

template <typename Fields>
void declare(Fields& fields, FailureSpec& failures) {
    fields.field("policy", failures.policy, policies);
    fields.field("grow", failures.grow, Flag{});
    fields.field("restarts", failures.restarts, Integer{1, 1'000'000});
    fields.field("heartbeat_s", failures.heartbeat_s, OrNull{Number{0.02, 3600.0}});
}

template <typename Fields>
void declare(Fields& fields, ExperimentSpec& spec) {
    fields.field("name", spec.name, Identifier{file_names});
    fields.required("dataset", spec.dataset, DatasetCodec{});
    fields.required("model", spec.model, ModelCodec{});
    fields.field("nodes", spec.nodes, NodesCodec{});
    fields.field("cluster", spec.cluster, OrNull{ClusterCodec{}});
    fields.field("calibration", spec.calibration, OrNull{CalibrationSourceCodec{}});
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
    fields.field("strategy", spec.strategy, StrategyCodec{});
    fields.field("sharding", spec.sharding, Section<ShardingSpec>{});
    fields.field("input_pipeline", spec.input_pipeline, Section<InputPipelineSpec>{});
    fields.field("kernels", spec.kernels, KernelsCodec{});
    fields.field("measure", spec.measure, Section<MeasureSpec>{});
    fields.field("checkpoints", spec.checkpoints, OrNull{Section<CheckpointSpec>{}});
    fields.field("deadline_s", spec.deadline_s, Number{0.1, 86400.0});
    fields.field("failures", spec.failures, Section<FailureSpec>{"policy"});
    fields.field("faults", spec.faults, FaultsCodec{});
    fields.field("initial_weights", spec.initial_weights, OrNull{FilePath{}});
    fields.ignored("$schema");
}

namespace {

/// What a node says that it would be given anyway is left out, so that both ways have one run identity.
void leave_out_usual(ExperimentSpec& spec) {
    for (std::int64_t rank = 0; rank < spec.world_size(); ++rank) {
        auto& node = spec.nodes[static_cast<std::size_t>(rank)];
        if (node.kernels == spec.kernels) node.kernels.reset();
        if (spec.cluster && node.host == spec.cluster->host_of(rank, spec.world_size())) node.host.reset();
    }
}

}  // namespace

ExperimentSpec parse_spec(const json& json, const std::string& source) {
    const Place place(source);
    auto spec = Section<ExperimentSpec>{}.read(json, place);
    check_together(spec, place);
    leave_out_usual(spec);
    return spec;
}

ExperimentSpec load_spec(const std::filesystem::path& file, std::span<const std::string> overrides) {
    auto content = parse_json(read_text(file, most_spec_bytes), file.string(), JsonComments::ignored);
    for (const auto& assignment : overrides) apply_override(content, assignment);
    auto spec = parse_spec(content, file.string());
    try {
        find_files_beside(spec, file.parent_path());
    } catch (const MissingFileError& error) {
        throw MissingFileError(fmt::format("{}: {}", file.string(), error.what()));
    }
    return spec;
}

namespace {

CalibrationSpec calibration_of(const std::filesystem::path& file) {
    try {
        return load_calibration(file);
    } catch (const MissingFileError& error) {
        throw MissingFileError(fmt::format("$.calibration: {}", error.what()));
    }
}

}  // namespace

void find_files_beside(ExperimentSpec& spec, const std::filesystem::path& folder) {
    if (spec.calibration) {
        if (const auto* path = std::get_if<std::string>(&*spec.calibration))
            spec.calibration = calibration_of(folder / *path);
    }
    const auto find_one = [&](std::string& path) {
        if (is_address(path)) return;
        std::error_code problem;
        const auto beside = std::filesystem::absolute(folder / path).lexically_normal();
        if (std::filesystem::exists(beside, problem)) path = beside.string();
    };
    if (spec.dataset.spectra && spec.dataset.spectra->template_dir)
        find_one(*spec.dataset.spectra->template_dir);
    if (!spec.dataset.npy) return;
    auto& npy = *spec.dataset.npy;
    const auto find = [&](std::vector<std::string>& paths) {
        for (auto& path : paths) {
            auto place = array_place(path, npy.format).value_or(ArrayPlace{.file = path});
            find_one(place.file);
            path = npy.format == ArrayFormat::npy ? place.file : fmt::format("{}:{}", place.file, place.name);
        }
    };
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

}  // namespace convoy
