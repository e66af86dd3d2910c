#include "train/stage.hpp"

#include "base/error.hpp"
#include "data/batch_slices.hpp"

namespace convoy {

StepResult Stage::step(std::int64_t rank, BatchSource& source, const StepContext& context) {
    BatchSlices slices(source);
    StepResult result;
    timer.begin_step(context.step + 1);
    for (const auto index : programs.step(rank, context.global_examples)) {
        slices.slice_by(programs.of_rank(rank).at(index).batch);
        result += executors.at(index).run(slices, context);
    }
    if (const auto average = programs.average_behind(rank, context.step + 1))
        result += executors.at(*average).run(slices, context);
    if (slices.left() > 0) throw InternalError("a batch of which a step leaves examples over");
    return result;
}

StepResult Stage::end_step(std::int64_t rank, BatchSource& source) {
    const auto left = programs.last_updates(rank);
    return left ? executors.at(*left).run(source, {.examples = {}}) : StepResult{};
}

}  // namespace convoy
