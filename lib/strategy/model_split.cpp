#include "strategy/model_split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "graph/operator_name.hpp"
#include "nn/zoo.hpp"
#include "strategy/empty_share.hpp"
#include "strategy/node_plan_builder.hpp"
#include "strategy/parameter_part.hpp"
#include "strategy/pipeline.hpp"
#include "strategy/pipeline_schedule.hpp"
#include "strategy/ring_allreduce.hpp"
#include "strategy/stage_choice.hpp"
#include "strategy/stage_cut.hpp"

namespace convoy {
namespace {

using Stages = std::vector<std::vector<std::string>>;

/// Which stage runs an operator.
class StageOfOperator {
  public:
    StageOfOperator(const ExperimentSpec& spec, const Stages& stages)
        : last_(std::max<std::int64_t>(std::ssize(stages), 1) - 1) {
        for (std::size_t stage = 0; stage < stages.size(); ++stage) {
            for (std::size_t i = 0; i < stages[stage].size(); ++i) {
                const auto& layer = stages[stage][i];
                if (stage_of_layer_.emplace(layer, static_cast<std::int64_t>(stage)).second) continue;
                throw DataError(fmt::format(
                    "$.strategy.stages[{}][{}]: found \"{}\", expected each layer once", stage, i, layer));
            }
        }
        if (!stages.empty()) check_layers(resolve_model(spec.model).layers);
    }

    /// Operators of no layer are the last stage's. Data is for every stage until NodePlanBuilder::add drops
    /// what a stage does not use.
    [[nodiscard]] std::int64_t operator()(const Operator& op) const {
        if (op.kind == OperatorKind::dataset) return every_stage;
        const auto found = stage_of_layer_.find(layer_of_operator(op.name));
        return found == stage_of_layer_.end() ? last_ : found->second;
    }

    [[nodiscard]] std::vector<std::int64_t> all(const std::vector<Operator>& operators) const {
        std::vector<std::int64_t> stages;
        for (const auto& op : operators) stages.push_back((*this)(op));
        return stages;
    }

  private:
    /// Every layer of the network has a stage, and the stages name no other.
    void check_layers(const std::vector<LayerSpec>& layers) const {
        for (const auto& layer : layers) {
            if (stage_of_layer_.contains(layer.name)) continue;
            throw DataError(fmt::format("$.strategy.stages: {} is in no stage", layer.name));
        }
        std::set<std::string> names;
        for (const auto& layer : layers) names.insert(layer.name);
        for (const auto& [name, stage] : stage_of_layer_) {
            if (names.contains(name)) continue;
            throw DataError(
                fmt::format("$.strategy.stages[{}]: the network has no layer \"{}\"", stage, name));
        }
    }

    std::int64_t last_;
    std::map<std::string, std::int64_t> stage_of_layer_;
};

/// The layers of each stage: those of the spec, or chosen ones.
Stages stages_of(const ExperimentSpec& spec, const DataShape& shape, const Graph& training,
                 const ClusterModel& cluster) {
    const auto& stages = spec.strategy.stages;
    return stages.count > 0 ? chosen_stages(spec, shape, training, cluster) : stages.layers;
}

/// The place of a rank: replicas stand one behind the other, and each has a rank for each stage.
struct StagePlace {
    std::int64_t stages = 1, replicas = 1;
    std::int64_t stage = 0, replica = 0;

    StagePlace(std::int64_t ranks, std::int64_t replicas_of_run, std::int64_t rank)
        : stages(ranks / replicas_of_run),
          replicas(replicas_of_run),
          stage(rank % stages),
          replica(rank / stages) {}

    [[nodiscard]] std::int64_t first_rank() const { return replica * stages; }
    /// The ranks that have this stage, one of each replica.
    [[nodiscard]] std::vector<std::int64_t> ranks_of_stage() const {
        std::vector<std::int64_t> ranks;
        for (std::int64_t each = 0; each < replicas; ++each) ranks.push_back(each * stages + stage);
        return ranks;
    }
    /// Names ranks of the run in exchanges among the stages of this replica.
    void name_ranks(Program& program) const {
        for (auto& op : program.operators) {
            auto* attributes = std::get_if<ExchangeAttributes>(&op.attributes);
            if (attributes == nullptr) continue;
            attributes->exchange.root += first_rank();
            for (auto& rank : attributes->exchange.group) rank += first_rank();
        }
    }
};

/// Replicas without examples would have no messages to send.
void require_examples_of_replicas(const CompileInput& input) {
    for (const auto& split : input.data.train.splits()) {
        if (std::ranges::count(split, 0) == 0) continue;
        throw DataError(
            fmt::format("$.strategy.replicas: every replica needs an example of each batch, and a batch has "
                        "{}; choose another "
                        "$.batch_size or $.dataset.train_examples",
                        fmt::join(split, ", ")));
    }
}

/// Replicas would have moving statistics of their own.
void require_same_statistics(const CompileInput& input) {
    const bool any = std::ranges::any_of(input.training.parameters,
                                         [](const Parameter& parameter) { return !parameter.trained; });
    if (!any || input.spec.strategy.batch_norm_statistics == BatchNormStatistics::synchronised) return;
    throw DataError(
        "$.strategy.replicas: a network with batch normalisation needs $.strategy.batch_norm_statistics "
        "\"synchronised\"");
}

/// Puts the plan of one stage of one replica together.
class SplitPlan {
  public:
    SplitPlan(const CompileInput& input, std::int64_t rank)
        : input_(input),
          place_(input.ranks(), input.spec.strategy.replicas, rank),
          layers_(stages_of(input.spec, input.shape, input.training, input.cluster)),
          stage_of_(input.spec, layers_),
          plan_(input, rank, role()) {}

    [[nodiscard]] NodePlan done() && {
        const auto& strategy = input_.spec.strategy;
        for (const auto& split : input_.data.train.splits()) {
            auto program = step(split.at(static_cast<std::size_t>(place_.first_rank())));
            if (plan_.parameters().empty()) hold(program);
            if (place_.replicas > 1)
                insert_all_reduce(program, strategy, input_.cluster, examples_of_replicas(split));
            const Sequence sequence{plan_.add(std::move(program))};
            plan_.routine().steps.push_back({sequence, sequence});
        }
        decide_layouts();
        plan_.evaluate_shares([&](Program whole, std::span<const std::int64_t>) {
            if (whole.batch > 0) return part(whole);
            keep_dataset_only(whole);
            return whole;
        });
        plan_.sum_scores();
        return std::move(plan_).done();
    }

  private:
    [[nodiscard]] std::string role() const {
        auto text = fmt::format("stage {} of {}", place_.stage + 1, place_.stages);
        if (place_.replicas > 1)
            text += fmt::format(", replica {} of {}", place_.replica + 1, place_.replicas);
        if (input_.spec.strategy.stages.count == 0) return text;
        const auto& own = layers_.at(static_cast<std::size_t>(place_.stage));
        return text + fmt::format(", {} to {}", own.front(), own.back());
    }
    /// Sums are over the replicas of this stage: the statistics of one replica are of its whole share
    /// already.
    [[nodiscard]] Placement placement_of(std::int64_t examples) const {
        auto placement = plan_.placement(examples);
        placement.group = place_.ranks_of_stage();
        placement.world_size = place_.replicas;
        placement.rank = place_.replica;
        return placement;
    }
    [[nodiscard]] Program part(const Program& whole) const {
        auto program = part_of_stage(whole, stage_of_.all(whole.operators), place_.stage).program;
        place_.name_ranks(program);
        return program;
    }
    [[nodiscard]] Program step(std::int64_t examples) const {
        const auto& strategy = input_.spec.strategy;
        if (micro_batch_sizes(examples, strategy.micro_batches).size() == 1)
            return part(instantiate(input_.training, ProgramKind::train, placement_of(examples)));
        auto program = pipelined_step(input_.training, stage_of_.all(input_.training.operators), place_.stage,
                                      strategy, placement_of(examples));
        place_.name_ranks(program);
        return program;
    }
    /// One micro-batch of the largest share decides how parameters lie, so that they lie alike in all
    /// replicas. With replicas it has the buckets of the steps, in which gradients have their place.
    void decide_layouts() {
        const auto& strategy = input_.spec.strategy;
        const auto sizes = micro_batch_sizes(plan_.largest_share(), strategy.micro_batches);
        if (sizes.size() == 1 && place_.replicas == 1) return plan_.decide_layouts();
        auto placement = placement_of(sizes.front());
        placement.layout_batch = sizes.front();
        auto program = part(instantiate(input_.training, ProgramKind::train, placement));
        const std::vector examples(static_cast<std::size_t>(place_.replicas), sizes.front());
        insert_all_reduce(program, strategy, input_.cluster, examples);
        plan_.decide_layouts_by(std::move(program));
    }
    /// The parameters that the stage's operators read. All replicas have them alike, and the first one saves
    /// them.
    void hold(const Program& step) {
        if (place_.replicas > 1) plan_.hold_alike_with(fmt::format("stage {}", place_.stage + 1));
        plan_.hold_all(Replication::alike);
        std::set<TensorId> inputs;
        for (const auto& op : step.operators) inputs.insert(op.inputs.begin(), op.inputs.end());
        for (auto& parameter : plan_.parameters()) {
            const bool read = inputs.contains(parameter.description.value);
            hold_alone(parameter, read ? parameter.part : std::nullopt);
            if (!read || place_.replicas == 1) continue;
            parameter.saved = place_.replica == 0;
            parameter.one_layout = parameter.start_alike = parameter.alike = true;
        }
    }
    [[nodiscard]] std::vector<std::int64_t> examples_of_replicas(
        const std::vector<std::int64_t>& split) const {
        std::vector<std::int64_t> examples;
        for (const auto rank : place_.ranks_of_stage())
            examples.push_back(split.at(static_cast<std::size_t>(rank)));
        return examples;
    }

    const CompileInput& input_;
    StagePlace place_;
    Stages layers_;
    StageOfOperator stage_of_;
    NodePlanBuilder plan_;
};

}  // namespace

std::vector<std::int64_t> replicas_of_stages(const ExperimentSpec& spec) {
    const auto stages = spec.world_size() / spec.strategy.replicas;
    std::vector<std::int64_t> replicas;
    for (std::int64_t rank = 0; rank < spec.world_size(); ++rank) replicas.push_back(rank / stages);
    return replicas;
}

NodePlan model_split_plan(const CompileInput& input, std::int64_t rank) {
    if (input.spec.strategy.replicas > 1) {
        require_examples_of_replicas(input);
        require_same_statistics(input);
    }
    return SplitPlan(input, rank).done();
}

std::string stages_text(const ExperimentSpec& spec, const DataShape& shape, const Graph& training,
                        const ClusterModel& cluster) {
    if (spec.strategy.name != StrategyName::model_split || spec.strategy.stages.count < 2) return "";
    constexpr double ms_per_s = 1e3;
    const auto [chosen_s, greedy_s] = predicted_stages(spec, shape, training, cluster);
    return fmt::format(
        "Predicted: the slowest stage takes {:.3g} ms a step. With each layer on the node that would end it "
        "first "
        "(TensorFlow's greedy placement): {:.3g} ms.\n\n",
        ms_per_s * chosen_s, ms_per_s * greedy_s);
}

std::string pipeline_text(const ExperimentSpec& spec, const DataShape& shape, const Graph& training,
                          const ClusterModel& cluster) {
    constexpr double percent = 100.0;
    constexpr std::int64_t most_drawn_units = 200;
    const auto& strategy = spec.strategy;
    const auto examples =
        (spec.batch_size + strategy.replicas - 1) / strategy.replicas;  // of the largest replica
    const auto micro_batches = std::ssize(micro_batch_sizes(examples, strategy.micro_batches));
    if (strategy.name != StrategyName::model_split || strategy.stages.empty() || micro_batches == 1)
        return "";
    const StageOfOperator stage_of(spec, stages_of(spec, shape, training, cluster));
    const auto graph = stage_graph(training, stage_of.all(training.operators), examples);
    const auto planned = planned_step(strategy.schedule, graph.readers, micro_batches);
    auto text = fmt::format("Planned pipeline: {} micro-batches", micro_batches);
    if (planned) {
        text += fmt::format(", idle share {:.1f}%\n", percent * planned->idle_share);
        if (planned->units <= most_drawn_units)
            text += planned_step_drawing(*planned, strategy.schedule, graph.readers, micro_batches);
    } else {
        text += "; stages need each other in a circle, so there is no drawing\n";
    }
    for (const auto& [link, bytes] : graph.bytes)
        text += fmt::format("stage {} sends {} bytes a step to stage {}\n", link.first + 1, bytes,
                            link.second + 1);
    return text + "\n";
}

}  // namespace convoy
