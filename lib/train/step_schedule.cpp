#include "train/step_schedule.hpp"

#include <algorithm>

#include "train/learning_rate.hpp"

namespace convoy {

bool StepSchedule::checkpoint_is_due(std::int64_t done) const {
    return spec_.checkpoints && done > 0 && done < steps() && done % spec_.checkpoints->every_steps == 0;
}

std::int64_t StepSchedule::next_agreed_step(std::int64_t done) const {
    const auto end = std::min(epoch_behind(done) * steps_per_epoch(), steps());
    if (!spec_.checkpoints) return end;
    const auto every = spec_.checkpoints->every_steps;
    return std::min((done / every + 1) * every, end);
}

double StepSchedule::rate_factor(std::int64_t done) const {
    const ScheduleSpan span{
        .steps_per_epoch = steps_per_epoch(), .steps = steps(), .nodes = data_.train.replicas()};
    return learning_rate_factor(spec_.schedule, span, done);
}

StepContext StepSchedule::context(std::int64_t done) const {
    return {.seed = spec_.seed,
            .epoch = static_cast<std::uint32_t>(epoch_behind(done) - 1),
            .step = done,
            .learning_rate_factor = rate_factor(done),
            .examples = {},
            .global_examples = data_.train.batch_examples(step_of_epoch(done))};
}

StepContext StepSchedule::context_of_message(std::int64_t peer, std::int64_t step) const {
    auto context = this->context(step - 1);
    const auto share = data_.train.share_size(peer, step_of_epoch(step - 1));
    context.learning_rate_factor *= static_cast<double>(share) / static_cast<double>(context.global_examples);
    context.step = 0;  // the handling sets it
    return context;
}

}  // namespace convoy
