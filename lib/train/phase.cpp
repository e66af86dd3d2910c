#include "train/phase.hpp"

#include <iterator>
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

}  // namespace

Phase::Phase(OperatorTimer timer, const std::vector<Sequence>& sequences, const PhaseParts& parts)
    : timer_(std::move(timer)), bound_(parts.bound) {
    for (const auto& sequence : sequences) {
        longest_ = std::max(longest_, sequence.size());
        for (const auto program : sequence)
            executors_.try_emplace(program, *bound_[program], parts.communicator, timer_, parts.state);
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
