#include "train/phase.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "data/batch_slices.hpp"

namespace convoy {
namespace {

/// A program that takes no batch has nothing to ask for.
class NoBatches final : public BatchSource {
  public:
    Batch next() override { throw InternalError("a batch for a program that takes none"); }
};

std::size_t most_calls_in(const Program& program) {
    std::map<std::pair<OperatorKind, std::string>, std::size_t> calls;
    std::size_t most = 0;
    for (const auto& op : program.operators) most = std::max(most, ++calls[{op.kind, op.name}]);
    return most;
}

}  // namespace

Phase::Phase(OperatorTimer timer, const std::vector<Sequence>& sequences, const PhaseParts& parts)
    : timer_(std::move(timer)), bound_(parts.bound) {
    for (const auto& sequence : sequences) {
        std::size_t calls = 0;
        for (const auto program : sequence) {
            calls += most_calls_in(bound_[program]->program());
            executors_.try_emplace(program, *bound_[program], parts.communicator, timer_, parts.state);
        }
        most_calls_ = std::max(most_calls_, calls);
    }
}

StepResult Phase::run(const Sequence& sequence, BatchSource& source, const StepContext& context) {
    BatchSlices slices(source);
    StepResult result;
    for (const auto program : sequence) {
        slices.slice_by(bound_[program]->program().batch);
        result += executors_.at(program).run(slices, context);
    }
    if (slices.left() > 0) throw InternalError("a step did not use all examples of its batch");
    return result;
}

StepResult Phase::run(const Sequence& sequence, const StepContext& context) {
    NoBatches none;
    return run(sequence, none, context);
}

std::vector<Ticket> Phase::awaited(const Sequence& sequence) const {
    std::vector<Ticket> tickets;
    for (const auto program : sequence)
        std::ranges::copy(executors_.at(program).awaited(), std::back_inserter(tickets));
    return tickets;
}

}  // namespace convoy
