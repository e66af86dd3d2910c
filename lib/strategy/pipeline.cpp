#include "strategy/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "strategy/partial_gradients.hpp"
#include "strategy/stage_cut.hpp"
#include "strategy/tensor_messages.hpp"

namespace convoy {
namespace {

/// The part of a step to which an operator of the whole program belongs.
enum class Block : std::uint8_t { forward, backward, update };

Block block_of(const Operator& op) {
    switch (op.pass) {
        case Pass::backward: return Block::backward;
        case Pass::update: return Block::update;
        default: return Block::forward;
    }
}

/// The tensors and operators of a program that each micro-batch has for itself.
struct OfMicroBatches {
    std::vector<bool> tensors, operators;

    explicit OfMicroBatches(const Program& whole) : tensors(whole.tensors.size()) {
        for (std::size_t i = 0; i < tensors.size(); ++i) tensors[i] = whole.tensors[i].batched;
        for (const auto& op : whole.operators) {
            const auto own = [&](TensorId id) { return tensors[index(id)]; };
            const bool any = op.kind == OperatorKind::dataset || std::ranges::any_of(op.inputs, own) ||
                             std::ranges::any_of(op.outputs, own);
            operators.push_back(any);
            for (const auto id : op.outputs)
                if (any && whole.tensor(id).role != TensorRole::gradient) tensors[index(id)] = true;
        }
    }
};

/// Whether an operator computes gradients of parameters, which no operator of the backward pass reads.
bool gives_weight_gradients(const Program& program, const Operator& op) {
    return op.pass == Pass::backward && std::ranges::any_of(op.outputs, [&](TensorId id) {
               return program.tensor(id).role == TensorRole::gradient;
           });
}

bool is_exchange_with(const Operator& op, ExchangeVerb verb) {
    return op.kind == OperatorKind::exchange && op.as<ExchangeAttributes>().exchange.verb == verb;
}

/// By message: the tensor that it carries.
std::map<TensorId, TensorId> carried_by(const Program& part) {
    std::map<TensorId, TensorId> carried;
    for (const auto& op : part.operators) {
        if (op.kind == OperatorKind::pack) carried[op.outputs.at(0)] = op.inputs.at(0);
        if (op.kind == OperatorKind::unpack) carried[op.inputs.at(0)] = op.outputs.at(0);
    }
    return carried;
}

/// A message that a stage sends with each micro-batch, or only with the first.
struct Sent {
    Block block;
    std::int64_t reader;
    TensorId tensor;
    bool each_micro_batch;
};

/// By stage: what it sends, in the order of the whole program.
using AllSent = std::vector<std::vector<Sent>>;

AllSent all_sent(const Program& whole, std::span<const std::int64_t> stages, const OfMicroBatches& own) {
    AllSent sent(static_cast<std::size_t>(std::ranges::max(stages) + 1));
    for (std::size_t stage = 0; stage < sent.size(); ++stage) {
        const auto part = part_of_stage(whole, stages, static_cast<std::int64_t>(stage));
        const auto carried = carried_by(part.program);
        for (std::size_t i = 0; i < part.places.size(); ++i) {
            const auto& op = part.program.operators[i];
            if (!is_exchange_with(op, ExchangeVerb::send)) continue;
            const auto tensor = carried.at(op.inputs.at(0));
            sent[stage].push_back({block_of(whole.operators[part.places[i]]),
                                   op.as<ExchangeAttributes>().exchange.root, tensor,
                                   own.tensors[index(tensor)]});
        }
    }
    return sent;
}

/// A stage that sends a gradient reads the activation.
StageReaders readers_of(const AllSent& sent) {
    std::vector<std::set<std::int64_t>> readers(sent.size());
    for (std::size_t stage = 0; stage < sent.size(); ++stage) {
        for (const auto& each : sent[stage]) {
            if (each.block == Block::backward) {
                readers.at(static_cast<std::size_t>(each.reader)).insert(static_cast<std::int64_t>(stage));
            } else {
                readers[stage].insert(each.reader);
            }
        }
    }
    StageReaders lists;
    for (const auto& each : readers) lists.emplace_back(each.begin(), each.end());
    return lists;
}

/// The examples of each micro-batch.
std::vector<ExampleRange> micro_batches_of_step(std::int64_t batch, std::int64_t count) {
    std::vector<ExampleRange> ranges;
    std::int64_t first = 0;
    for (const auto size : micro_batch_sizes(batch, count)) {
        ranges.push_back({first, size});
        first += size;
    }
    return ranges;
}

/// Puts the step of one stage together.
class Pipeline {
  public:
    Pipeline(const Graph& training, std::span<const std::int64_t> stages, std::int64_t stage,
             const StrategySpec& strategy, const Placement& placement)
        : stage_(stage),
          schedule_(strategy.schedule),
          micro_batches_(micro_batches_of_step(placement.batch, strategy.micro_batches)) {
        auto place = placement;
        place.layout_batch = micro_batch_sizes(placement.layout_batch, strategy.micro_batches).front();
        const auto instance = [&](std::int64_t examples) {
            place.batch = examples;
            return instantiate(training, ProgramKind::train, place);
        };
        program_ = instance(micro_batches_.front().count);
        program_.batch = placement.batch;
        whole_ = program_.operators;
        own_.emplace(program_);
        sent_ = all_sent(program_, stages, *own_);
        tasks_ = pipeline_tasks(schedule_, readers_of(sent_), std::ssize(micro_batches_));
        program_.operators.clear();
        for (const auto& [first, examples] : micro_batches_)
            if (!parts_.contains(examples))
                parts_.emplace(examples, part_of_stage(instance(examples), stages, stage));
        copies_.resize(micro_batches_.size());
    }

    Program build() && {
        start_receives();
        for (const auto& task : tasks_.at(static_cast<std::size_t>(stage_))) add(task);
        add_up_metrics();
        add_updates();
        std::ranges::move(send_waits_, std::back_inserter(program_.operators));
        return std::move(program_);
    }

  private:
    [[nodiscard]] const StagePart& part(std::int64_t micro_batch) const {
        return parts_.at(micro_batches_.at(static_cast<std::size_t>(micro_batch)).count);
    }
    [[nodiscard]] const Operator& at_place(const StagePart& part, std::size_t position) const {
        return whole_.at(part.places.at(position));
    }

    /// All receives of the step, of each sender in the order in which it sends.
    void start_receives() {
        for (std::size_t sender = 0; sender < sent_.size(); ++sender) {
            for (const auto& task : tasks_[sender]) {
                if (task.work == StageWork::weights) continue;
                const auto block = task.work == StageWork::forward ? Block::forward : Block::backward;
                for (const auto& each : sent_[sender]) {
                    if (each.reader != stage_ || each.block != block) continue;
                    if (each.each_micro_batch || task.micro_batch == 0)
                        start_receive(each.tensor, static_cast<std::int64_t>(sender), task.micro_batch);
                }
            }
        }
    }

    void start_receive(TensorId tensor, std::int64_t sender, std::int64_t micro_batch) {
        const auto& program = part(micro_batch).program;
        const auto carried = carried_by(program);
        for (const auto& op : program.operators) {
            if (!is_exchange_with(op, ExchangeVerb::receive)) continue;
            const auto& exchange = op.as<ExchangeAttributes>().exchange;
            if (exchange.root == sender && carried.at(op.inputs.at(0)) == tensor)
                return add_exchange(op, OperatorKind::exchange_start, micro_batch, program_.operators);
        }
        throw InternalError("a message that its reader does not know");
    }

    /// The operators of one task.
    void add(const StageTask& task) {
        const auto& [program, places] = part(task.micro_batch);
        const auto block = task.work == StageWork::forward ? Block::forward : Block::backward;
        const bool apart = schedule_ == PipelineSchedule::zero_bubble && block == Block::backward;
        const auto carried = carried_by(program);
        for (std::size_t i = 0; i < places.size(); ++i) {
            const auto& op = program.operators[i];
            if (block_of(whole_.at(places[i])) != block) continue;
            if (apart && gives_weight_gradients(program, op) != (task.work == StageWork::weights)) continue;
            if (task.micro_batch > 0 && !is_of_micro_batch(op, places[i], carried)) continue;
            add(op, task.micro_batch);
        }
    }

    [[nodiscard]] bool is_of_micro_batch(const Operator& op, std::size_t place,
                                         const std::map<TensorId, TensorId>& carried) const {
        for (const auto* ids : {&op.inputs, &op.outputs})
            for (const auto id : *ids)
                if (carried.contains(id)) return own_->tensors.at(index(carried.at(id)));
        return own_->operators.at(place);
    }

    void add(const Operator& op, std::int64_t micro_batch) {
        if (is_exchange_with(op, ExchangeVerb::send)) {
            add_exchange(op, OperatorKind::exchange_start, micro_batch, program_.operators);
            return add_exchange(op, OperatorKind::exchange_wait, micro_batch, send_waits_);
        }
        if (is_exchange_with(op, ExchangeVerb::receive))
            return add_exchange(op, OperatorKind::exchange_wait, micro_batch, program_.operators);
        auto added = mapped(op, micro_batch);
        if (auto* data = std::get_if<DatasetAttributes>(&added.attributes))
            data->examples = micro_batches_.at(static_cast<std::size_t>(micro_batch));
        gradients_.append(std::move(added), micro_batch);
    }

    void add_exchange(const Operator& op, OperatorKind kind, std::int64_t micro_batch,
                      std::vector<Operator>& to) {
        auto added = mapped(op, micro_batch);
        added.kind = kind;
        added.name = program_.tensor(added.inputs.at(0)).name;
        to.push_back(std::move(added));
    }

    /// The operator on the tensors of a micro-batch.
    [[nodiscard]] Operator mapped(const Operator& op, std::int64_t micro_batch) {
        auto result = op;
        for (auto* ids : {&result.inputs, &result.outputs})
            for (auto& id : *ids) id = of_micro_batch(id, micro_batch);
        return result;
    }

    /// A tensor of a stage's part, as the micro-batch has it: a copy, or the one that all share.
    TensorId of_micro_batch(TensorId id, std::int64_t micro_batch) {
        const bool message = index(id) >= own_->tensors.size();
        if (!message && !own_->tensors[index(id)]) return id;
        auto& copies = copies_.at(static_cast<std::size_t>(micro_batch));
        const auto found = copies.find(id);
        if (found != copies.end()) return found->second;
        auto info = part(micro_batch).program.tensor(id);
        info.name += fmt::format(".micro_batch_{}", micro_batch + 1);
        if (info.role == TensorRole::metrics) info.role = TensorRole::activation;
        return copies[id] = message ? add_message(program_, info.name, info.shape.elements()).storage
                                    : add_tensor(std::move(info));
    }

    TensorId add_tensor(TensorInfo info) {
        program_.tensors.push_back(std::move(info));
        return static_cast<TensorId>(program_.tensors.size() - 1);
    }

    void add_up_metrics() {
        for (const auto& op : part(0).program.operators) {
            for (const auto id : op.outputs) {
                if (program_.tensors.at(index(id)).role != TensorRole::metrics) continue;
                std::vector<TensorId> parts;
                for (const auto& copies : copies_) parts.push_back(copies.at(id));
                program_.operators.push_back(
                    {OperatorKind::add_n, "metrics", Pass::forward, std::move(parts), {id}, {}, {}});
            }
        }
    }

    void add_updates() {
        const auto& [program, places] = part(0);
        for (std::size_t i = 0; i < places.size(); ++i)
            if (block_of(whole_.at(places[i])) == Block::update) add(program.operators[i], 0);
    }

    std::int64_t stage_;
    PipelineSchedule schedule_;
    std::vector<ExampleRange> micro_batches_;
    Program program_;
    PartialGradients gradients_{program_, "/of_micro_batch"};
    std::vector<Operator> whole_;  // the operators of all stages
    std::optional<OfMicroBatches> own_;
    AllSent sent_;
    std::vector<std::vector<StageTask>> tasks_;         // by stage
    std::map<std::int64_t, StagePart> parts_;           // by examples: this stage's part
    std::vector<std::map<TensorId, TensorId>> copies_;  // by micro-batch: a part's tensors
    std::vector<Operator> send_waits_;
};

}  // namespace

StageGraph stage_graph(const Graph& training, std::span<const std::int64_t> stages, std::int64_t batch) {
    constexpr std::int64_t float_bytes = 4;
    const auto whole = instantiate(training, ProgramKind::train, {.batch = batch, .layout_batch = batch});
    const auto sent = all_sent(whole, stages, OfMicroBatches(whole));
    StageGraph graph{.readers = readers_of(sent), .bytes = {}};
    for (std::size_t stage = 0; stage < sent.size(); ++stage)
        for (const auto& each : sent[stage])
            graph.bytes[{static_cast<std::int64_t>(stage), each.reader}] +=
                whole.tensor(each.tensor).shape.elements() * float_bytes;
    return graph;
}

Program pipelined_step(const Graph& training, std::span<const std::int64_t> stages, std::int64_t stage,
                       const StrategySpec& strategy, const Placement& placement) {
    if (std::ranges::any_of(training.parameters, [](const auto& parameter) { return !parameter.trained; })) {
        throw DataError(
            "$.strategy.micro_batches: expected 1 for a network with batch normalisation: its statistics "
            "would be of one micro-batch, not of the batch");
    }
    return Pipeline(training, stages, stage, strategy, placement).build();
}

}  // namespace convoy
