#include "train/epoch_log.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/error.hpp"

namespace convoy {

void fail_diverged(const std::string& what) {
    throw DataError(
        fmt::format("{}: training diverged; lower $.optimizer.learning_rate or look at the data", what));
}

void EpochLog::add_step(std::int64_t step, const StepResult& result, Microseconds core_look) {
    const auto examples = static_cast<double>(result.examples);
    // A share without examples has no loss: 0 / 0 is what records have there.
    const double loss = result.metrics.loss_sum / examples;
    if (result.examples > 0 && !std::isfinite(loss))
        fail_diverged(fmt::format("the loss is {} in epoch {}, step {}", loss, record.epoch, step));
    record.train.loss_sum += result.metrics.loss_sum;
    record.train.correct += result.metrics.correct;
    record.train.examples += result.examples;
    records.steps.push_back({.node = record.node,
                             .epoch = record.epoch,
                             .step = step,
                             .loss = loss,
                             .correct = result.metrics.correct,
                             .examples = result.examples,
                             .step_us = result.step.count(),
                             .compute_us = result.compute.count(),
                             .wait_us = result.wait.count(),
                             .gradient_norm = result.gradient_norm,
                             .penalty = result.penalty,
                             .core_look_us = core_look.count()});
}

void EpochLog::extend_last_step(const StepResult& result) {
    auto& last = records.steps.back();
    last.step_us += result.step.count();
    last.compute_us += result.compute.count();
    last.wait_us += result.wait.count();
}

}  // namespace convoy
