#include "strategy/model_split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "nn/zoo.hpp"
#include "strategy/node_plan_builder.hpp"
#include "strategy/parameter_part.hpp"
#include "strategy/pipeline.hpp"
#include "strategy/pipeline_schedule.hpp"
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
Stages stages_of(const ExperimentSpec& spec, const Graph& training, const ClusterModel& cluster) {
    const auto& stages = spec.strategy.stages;
    return stages.count > 0 ? chosen_stages(spec, training, cluster) : stages.layers;
}

/// The parameters that the stage's operators read.
void hold_read(NodePlanBuilder& plan, const Program& step) {
    plan.hold_all(Replication::alike);
    std::set<TensorId> inputs;
    for (const auto& op : step.operators) inputs.insert(op.inputs.begin(), op.inputs.end());
    for (auto& parameter : plan.parameters()) {
        const bool read = inputs.contains(parameter.description.value);
        hold_alone(parameter, read ? parameter.part : std::nullopt);
    }
}

}  // namespace

std::vector<std::int64_t> stages_of_one_replica(const ExperimentSpec& spec) {
    return std::vector<std::int64_t>(spec.nodes.size(), 0);
}

NodePlan model_split_plan(const CompileInput& input, std::int64_t rank) {
    const auto& strategy = input.spec.strategy;
    const auto stages = stages_of(input.spec, input.training, input.cluster);
    const StageOfOperator stage_of(input.spec, stages);
    auto role = fmt::format("stage {} of {}", rank + 1, input.ranks());
    if (strategy.stages.count > 0) {
        const auto& own = stages.at(static_cast<std::size_t>(rank));
        role += fmt::format(", {} to {}", own.front(), own.back());
    }
    NodePlanBuilder plan(input, rank, std::move(role));
    const auto part = [&](const Program& whole) {
        return part_of_stage(whole, stage_of.all(whole.operators), rank).program;
    };
    const auto placement = [&](std::int64_t examples) {
        auto place = plan.placement(examples);
        place.group = {rank};  // its statistics are of the whole batch already
        place.world_size = 1;
        return place;
    };
    for (const auto& split : input.data.train.splits()) {
        const auto examples = split.at(static_cast<std::size_t>(rank));
        const bool cuts = micro_batch_sizes(examples, strategy.micro_batches).size() > 1;
        auto program = cuts ? pipelined_step(input.training, stage_of.all(input.training.operators), rank,
                                             strategy, placement(examples))
                            : part(instantiate(input.training, ProgramKind::train, placement(examples)));
        if (plan.parameters().empty()) hold_read(plan, program);
        const Sequence step{plan.add(std::move(program))};
        plan.routine().steps.push_back({step, step});
    }
    if (const auto sizes = micro_batch_sizes(plan.largest_share(), strategy.micro_batches);
        sizes.size() > 1) {
        auto place = placement(sizes.front());
        place.layout_batch = sizes.front();
        plan.decide_layouts_by(part(instantiate(input.training, ProgramKind::train, place)));
    } else {
        plan.decide_layouts();
    }
    plan.evaluate_shares([&](const Program& whole, std::span<const std::int64_t>) { return part(whole); });
    plan.sum_scores();
    return std::move(plan).done();
}

std::string pipeline_text(const ExperimentSpec& spec, const Graph& training, const ClusterModel& cluster) {
    constexpr double percent = 100.0;
    constexpr std::int64_t most_drawn_units = 200;
    const auto& strategy = spec.strategy;
    const auto micro_batches = std::ssize(micro_batch_sizes(spec.batch_size, strategy.micro_batches));
    if (strategy.name != StrategyName::model_split || strategy.stages.empty() || micro_batches == 1)
        return "";
    const StageOfOperator stage_of(spec, stages_of(spec, training, cluster));
    const auto graph = stage_graph(training, stage_of.all(training.operators), spec.batch_size);
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
