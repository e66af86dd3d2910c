// How a node gives away what it has in hand, and goes on with what another process had.

#include <fmt/format.h>

#include <iterator>

#include "base/error.hpp"
#include "train/node_run.hpp"
#include "train/weights.hpp"

namespace convoy {
namespace {

constexpr auto source = "the checkpoint";

}  // namespace

bool NodeRun::checkpoint_is_due() const {
    const auto& checkpoints = assignment_.spec.checkpoints;
    return checkpoints && steps_done_ > 0 && steps_done_ < plan_.steps &&
           steps_done_ % checkpoints->every_steps == 0;
}

void NodeRun::take_checkpoint() {
    const auto began = Clock::now();
    checkpoint_timer_.begin_step(steps_done_);
    const auto trained_s = epoch_.train_s();
    // Behind an evaluation the statistics are the same on all nodes already.
    if (!epoch_.records.steps.empty()) average(checkpoint_averaging_);
    const auto averaged = Clock::now();
    auto checkpoint = in_hand();
    checkpoint.epoch.train_s = trained_s;
    reporter_.checkpoint(std::move(checkpoint));
    const auto row = checkpoint_timer_.add_row({"_Checkpoint", "checkpoint", {}});
    checkpoint_timer_.add(row, averaged, Clock::now());
    const auto took = Seconds(Clock::now() - began).count();
    checkpoint_s_ += took;
    epoch_.checkpoint_s += took;
}

NodeCheckpoint NodeRun::in_hand() {
    const bool alone = assignment_.spec.strategy.name == StrategyName::independent;
    NodeCheckpoint checkpoint;
    if (assignment_.rank == 0 || alone) checkpoint.tensors = get_training_tensors(*backend_, graph_);
    auto samples = take_samples();
    std::ranges::move(samples, std::back_inserter(epoch_.records.system));
    checkpoint.step = steps_done_;
    checkpoint.validation = early_stopping_.history();
    checkpoint.epoch = epoch_.record;
    checkpoint.steps = epoch_.records.steps;
    checkpoint.system = epoch_.records.system;
    checkpoint.operators = training_.timer.times();
    std::ranges::move(checkpoint_timer_.times(), std::back_inserter(checkpoint.operators));
    checkpoint.so_far = so_far();
    return checkpoint;
}

void NodeRun::restore(const NodeCheckpoint& checkpoint) {
    const bool fits = checkpoint.step == steps_done_ && checkpoint.epoch.epoch == epoch_.record.epoch &&
                      checkpoint.epoch.node == assignment_.rank;
    if (!fits) {
        throw DataError(
            fmt::format("{}: node {} of it is at step {} in epoch {}, which this run does not have", source,
                        checkpoint.epoch.node, checkpoint.step, checkpoint.epoch.epoch));
    }
    set_training_tensors(*backend_, graph_, checkpoint.tensors, source);
    epoch_.record = checkpoint.epoch;
    epoch_.records.steps = checkpoint.steps;
    epoch_.records.system = checkpoint.system;
    training_.timer.restore(checkpoint.operators);
    checkpoint_timer_.restore(checkpoint.operators);
}

}  // namespace convoy
