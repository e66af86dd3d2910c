#include "train/phase.hpp"

#include <utility>

#include "base/error.hpp"
#include "data/batch_slices.hpp"

namespace convoy {

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

}  // namespace convoy
