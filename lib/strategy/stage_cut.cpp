#include "strategy/stage_cut.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "exchange/group.hpp"
#include "strategy/shared_norm.hpp"
#include "strategy/tensor_messages.hpp"

namespace convoy {
namespace {

/// Puts together the part of one stage, operator by operator of the whole.
class StageCut {
  public:
    StageCut(const Program& whole, std::int64_t stage, std::int64_t stages)
        : whole_(whole), stage_(stage), stages_(stages), part_(whole) {
        part_.operators.clear();
    }

    /// place: the position of the operator in the whole program.
    void add(const Operator& op, std::int64_t stage, std::size_t place) {
        add_operators(op, stage);
        places_.resize(part_.operators.size(), place);
    }

    [[nodiscard]] StagePart done() && { return {std::move(part_), std::move(places_)}; }

  private:
    void add_operators(const Operator& op, std::int64_t stage) {
        if (op.kind == OperatorKind::global_norm && stages_ > 1) return share_norm(op);
        for (const auto id : op.inputs) bring(id, stage);
        for (const auto id : op.outputs) writer_[id] = stage;
        if (stage == stage_ || stage == every_stage) part_.operators.push_back(op);
    }

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
    std::vector<std::size_t> places_;
    std::map<TensorId, std::int64_t> writer_;  // the stage that wrote a tensor last
    std::set<std::pair<TensorId, std::int64_t>> brought_;
};

}  // namespace

StagePart part_of_stage(const Program& whole, std::span<const std::int64_t> stages, std::int64_t stage) {
    StageCut cut(whole, stage, std::ranges::max(stages) + 1);
    for (std::size_t i = 0; i < whole.operators.size(); ++i) cut.add(whole.operators[i], stages[i], i);
    return std::move(cut).done();
}

}  // namespace convoy
