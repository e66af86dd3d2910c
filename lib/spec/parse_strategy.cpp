#include <fmt/format.h>

#include <set>

#include "spec/codecs.hpp"
#include "spec/fields.hpp"
#include "spec/sections.hpp"

namespace convoy {
namespace {

using nlohmann::json;

constexpr auto strategy_names = choice<StrategyName>({{"local", StrategyName::local},
                                                      {"ring_allreduce", StrategyName::ring_allreduce},
                                                      {"local_sgd", StrategyName::local_sgd},
                                                      {"independent", StrategyName::independent},
                                                      {"parameter_server", StrategyName::parameter_server},
                                                      {"model_split", StrategyName::model_split},
                                                      {"hybrid", StrategyName::hybrid},
                                                      {"filter_parallel", StrategyName::filter_parallel}});
constexpr auto bucketings = choice<Bucketing>({{"by_size", Bucketing::by_size},
                                               {"per_tensor", Bucketing::per_tensor},
                                               {"end_of_step", Bucketing::end_of_step}});
constexpr auto share_rules =
    choice<SharesBy>({{"optimal", SharesBy::optimal}, {"published", SharesBy::published}});
constexpr auto balances = choice<BalanceBy>({{"equal", BalanceBy::equal}, {"speed", BalanceBy::speed}});
constexpr auto commit_points =
    choice<CommitPoint>({{"by_bucket", CommitPoint::by_bucket}, {"by_step", CommitPoint::by_step}});
constexpr auto pipeline_schedules =
    choice<PipelineSchedule>({{"fill_drain", PipelineSchedule::fill_drain},
                              {"1f1b", PipelineSchedule::one_forward_one_backward},
                              {"zero_bubble", PipelineSchedule::zero_bubble}});
constexpr auto statistics = choice<BatchNormStatistics>(
    {{"per_node", BatchNormStatistics::per_node}, {"synchronised", BatchNormStatistics::synchronised}});
constexpr Choice<AllReduceAlgorithm, all_reduce_algorithm_names.size()> all_reduce_algorithms{
    all_reduce_algorithm_names};
constexpr Choice<AllReduceAlgorithm, gradient_algorithm_names.size()> gradient_algorithms{
    gradient_algorithm_names};
constexpr Choice<WireType, wire_type_names.size()> wire_types{wire_type_names};

}  // namespace

// Outside the unnamed namespace, so that Section finds them by their arguments.

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

namespace {

constexpr std::size_t most_named_layers = 1000;

constexpr ListOf<std::string, Identifier> named_layers{Identifier{{"_"}}, most_named_layers};

/// Different layer names.
struct LayerNames {
    [[nodiscard]] std::vector<std::string> read(const json& found, const Place& place) const {
        auto names = named_layers.read(found, place);
        std::set<std::string> seen;
        for (std::size_t i = 0; i < names.size(); ++i)
            if (!seen.insert(names[i]).second) place.item(i).refuse(found[i], "each layer once");
        return names;
    }
    [[nodiscard]] json write(const std::vector<std::string>& names) const {
        return named_layers.write(names);
    }
    [[nodiscard]] std::string expected() const { return named_layers.expected(); }
};

/// A number of stages, or lists of layer names, one for each node.
struct StagesCodec {
    static constexpr std::int64_t most_stages = 64;
    static constexpr Integer counts{1, most_stages};

    [[nodiscard]] StagesSpec read(const json& found, const Place& place) const {
        if (found.is_number()) return {.layers = {}, .count = counts.read(found, place)};
        if (!found.is_array() || std::ssize(found) > most_stages) place.refuse(found, expected());
        StagesSpec stages;
        for (std::size_t i = 0; i < found.size(); ++i) {
            const auto where = place.item(i);
            const bool fits =
                found[i].is_array() && !found[i].empty() && found[i].size() <= most_named_layers;
            if (!fits) where.refuse(found[i], expected());
            stages.layers.push_back(named_layers.read(found[i], where));
        }
        return stages;
    }
    [[nodiscard]] json write(const StagesSpec& stages) const {
        return stages.count > 0 ? json(stages.count) : json(stages.layers);
    }
    [[nodiscard]] std::string expected() const {
        return fmt::format("an integer from 1 to {0}, or a list of at most {0} lists of layer names",
                           most_stages);
    }
};

}  // namespace

namespace {

/// A rule by its name, or a list of weights. Spec has `by`, one of Rules, and `weights`.
template <typename Spec, typename Rules>
struct RuleOrWeights {
    Rules rules;
    ListOf<double, Number> weights;

    [[nodiscard]] Spec read(const json& found, const Place& place) const {
        if (found.is_string()) return {.by = rules.read(found, place)};
        if (!found.is_array() || found.empty() || found.size() > weights.most)
            place.refuse(found, expected());
        Spec spec{.by = decltype(Spec::by)::weights};
        spec.weights = weights.read(found, place);
        return spec;
    }
    [[nodiscard]] json write(const Spec& spec) const {
        return spec.by == decltype(Spec::by)::weights ? json(spec.weights) : rules.write(spec.by);
    }
    [[nodiscard]] std::string expected() const {
        return rules.expected() + ", or a list with one weight for each node";
    }
};

constexpr RuleOrWeights<BalanceSpec, decltype(balances)> balance_codec{
    balances, {Number{0.0, 1e6, Number::Without::low}, most_nodes}};
constexpr RuleOrWeights<SharesSpec, decltype(share_rules)> shares_codec{share_rules,
                                                                        {Number{0.0, 1e6}, most_nodes}};

}  // namespace

template <typename Fields>
void declare(Fields& fields, TopKSpec& top_k) {
    fields.field("fraction", top_k.fraction, Number{0.0, 1.0, Number::Without::low});
}

template <typename Fields>
void declare(Fields& fields, StrategySpec& strategy) {
    fields.field("name", strategy.name, strategy_names);
    fields.field("overlap", strategy.overlap, Flag{});
    fields.field("overlap_forward", strategy.overlap_forward, Flag{});
    fields.field("commit", strategy.commit, commit_points);
    fields.field("bucketing", strategy.bucketing, bucketings);
    fields.field("bucket_bytes", strategy.bucket_bytes, Integer{1, std::int64_t{1} << 32});
    fields.field("algorithm", strategy.algorithm, gradient_algorithms);
    fields.field("calibration", strategy.calibration, OrNull{Section<AllReduceCalibration>{}});
    fields.field("segment_bytes", strategy.segment_bytes, Integer{64, 1 << 30});
    fields.field("wire_type", strategy.wire_type, wire_types);
    fields.field("top_k", strategy.top_k, Section<TopKSpec>{});
    fields.field("batch_norm_statistics", strategy.batch_norm_statistics, statistics);
    fields.field("connections", strategy.connections, Integer{1, 16});
    fields.field("average_every", strategy.average_every, Integer{1, 1'000'000});
    fields.field("servers", strategy.servers, Integer{1, 64});
    fields.field("slice_bytes", strategy.slice_bytes, OrNull{Integer{64, std::int64_t{1} << 32}});
    fields.field("staleness", strategy.staleness, OrNull{Integer{0, 1'000'000}});
    fields.field("stages", strategy.stages, StagesCodec{});
    fields.field("replicas", strategy.replicas, Integer{1, 1024});
    fields.field("micro_batches", strategy.micro_batches, Integer{1, 1024});
    fields.field("schedule", strategy.schedule, pipeline_schedules);
    fields.field("cut_layers", strategy.cut_layers, OrNull{LayerNames{}});
    fields.field("balance", strategy.balance, balance_codec);
    fields.field("shares", strategy.shares, shares_codec);
    fields.field("sub_batches", strategy.sub_batches, Integer{1, 64});
}

namespace {
constexpr Section<StrategySpec> strategy_section{"name"};
}  // namespace

StrategySpec StrategyCodec::read(const json& found, const Place& place) const {
    return strategy_section.read(found, place);
}
json StrategyCodec::write(const StrategySpec& strategy) const {
    return strategy_section.write(strategy);
}
std::string StrategyCodec::expected() const {
    return strategy_section.expected();
}

json strategy_field(const StrategySpec& strategy, const char* field) {
    return StrategyCodec{}.write(strategy).at(field);
}

}  // namespace convoy
