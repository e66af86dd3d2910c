#include "strategy/model_split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "exchange/group.hpp"
#include "nn/zoo.hpp"
#include "strategy/messages.hpp"
#include "strategy/node_plan_builder.hpp"
#include "strategy/parameter_part.hpp"
#include "strategy/shared_norm.hpp"

namespace convoy {
namespace {

/// Puts together the part of one stage, operator by operator of the whole.
class StageCut {
  public:
    StageCut(const Program& whole, std::int64_t stage, std::int64_t stages)
        : whole_(whole), stage_(stage), stages_(stages), part_(whole) {
        part_.operators.clear();
    }

    void add(const Operator& op, std::int64_t stage) {
        if (op.kind == OperatorKind::global_norm && stages_ > 1) return share_norm(op);
        for (const auto id : op.inputs) bring(id, stage);
        for (const auto id : op.outputs) writer_[id] = stage;
        if (stage == stage_ || stage == every_stage) part_.operators.push_back(op);
    }

    [[nodiscard]] Program done() && { return std::move(part_); }

  private:
    /// Each stage adds the squares of its own gradients.
    void share_norm(const Operator& norm) {
        std::vector<TensorId> own;
        std::ranges::copy_if(norm.inputs, std::back_inserter(own),
                             [&](TensorId id) { return writer_.at(id) == stage_; });
        std::ranges::move(shared_norm(part_, norm, std::move(own), consecutive_ranks(0, stages_)),
                          std::back_inserter(part_.operators));
        writer_[norm.outputs.at(0)] = every_stage;
    }

    /// Makes a tensor known to the stage that is about to read it.
    void bring(TensorId id, std::int64_t reader) {
        const auto found = writer_.find(id);
        if (found == writer_.end() || found->second == every_stage || reader == every_stage) return;
        const auto writer = found->second;
        if (writer == reader || !brought_.emplace(id, reader).second) return;
        const auto& tensor = whole_.tensor(id);
        if (tensor.role != TensorRole::activation) {
            throw DataError(
                fmt::format("$.strategy.stages: {} is needed by stages {} and {}, and cannot travel; put the "
                            "layers that share it into one stage",
                            tensor.name, writer + 1, reader + 1));
        }
        const auto name = fmt::format("{}.message_of_{}", tensor.name, tensor.shape.elements());
        auto& operators = part_.operators;
        if (writer == stage_) {
            const auto message = add_message(part_, name, tensor.shape.elements());
            operators.push_back(copy_message(OperatorKind::pack, tensor.name, id, message.storage));
            operators.push_back(between_stages(message, ExchangeVerb::send, reader));
        } else if (reader == stage_) {
            const auto message = add_message(part_, name, tensor.shape.elements());
            operators.push_back(between_stages(message, ExchangeVerb::receive, writer));
            operators.push_back(copy_message(OperatorKind::unpack, tensor.name, message.storage, id));
        }
    }

    [[nodiscard]] Operator between_stages(const Bucket& message, ExchangeVerb verb, std::int64_t peer) const {
        const Exchange exchange{.verb = verb, .group = {}, .root = peer, .options = {}};
        return exchange_message(OperatorKind::exchange, part_.tensor(message.storage).name, message,
                                {.exchange = exchange});
    }

    const Program& whole_;
    std::int64_t stage_, stages_;
    Program part_;
    std::map<TensorId, std::int64_t> writer_;  // the stage that wrote a tensor last
    std::set<std::pair<TensorId, std::int64_t>> brought_;
};

/// Which stage runs an operator.
class StageOfOperator {
  public:
    explicit StageOfOperator(const CompileInput& input)
        : last_(std::max<std::int64_t>(std::ssize(input.spec.strategy.stages), 1) - 1) {
        const auto& stages = input.spec.strategy.stages;
        for (std::size_t stage = 0; stage < stages.size(); ++stage) {
            for (std::size_t i = 0; i < stages[stage].size(); ++i) {
                const auto& layer = stages[stage][i];
                if (stage_of_layer_.emplace(layer, static_cast<std::int64_t>(stage)).second) continue;
                throw DataError(fmt::format(
                    "$.strategy.stages[{}][{}]: found \"{}\", expected each layer once", stage, i, layer));
            }
        }
        if (!stages.empty()) check_layers(resolve_model(input.spec.model).layers);
    }

    /// Operators have the name of their layer, or of one of its parameters, LAYER.weight. Data is for every
    /// stage until NodePlanBuilder::add drops what a stage does not use.
    [[nodiscard]] std::int64_t operator()(const Operator& op) const {
        if (op.kind == OperatorKind::dataset) return every_stage;
        const auto found = stage_of_layer_.find(op.name.substr(0, op.name.find('.')));
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

Program part_of_stage(const Program& whole, std::span<const std::int64_t> stages, std::int64_t stage) {
    StageCut cut(whole, stage, std::ranges::max(stages) + 1);
    for (std::size_t i = 0; i < whole.operators.size(); ++i) cut.add(whole.operators[i], stages[i]);
    return std::move(cut).done();
}

NodePlan model_split_plan(const CompileInput& input, std::int64_t rank) {
    const StageOfOperator stage_of(input);
    NodePlanBuilder plan(input, rank, fmt::format("stage {} of {}", rank + 1, input.ranks()));
    const auto part = [&](const Program& whole) {
        return part_of_stage(whole, stage_of.all(whole.operators), rank);
    };
    for (const auto& split : input.data.train.splits()) {
        auto program = instantiate(input.training, ProgramKind::train,
                                   plan.placement(split.at(static_cast<std::size_t>(rank))));
        program.group = {rank};  // its statistics are of the whole batch already
        program.world_size = 1;
        program = part(program);
        if (plan.parameters().empty()) hold_read(plan, program);
        const Sequence step{plan.add(std::move(program))};
        plan.routine().steps.push_back({step, step});
    }
    plan.decide_layouts();
    plan.evaluate_shares([&](const Program& whole, std::span<const std::int64_t>) { return part(whole); });
    plan.sum_scores();
    return std::move(plan).done();
}

}  // namespace convoy
