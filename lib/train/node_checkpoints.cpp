// How a node gives away what it has in hand, and goes on with what another process had.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.hpp"
#include "measure/proc.hpp"
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

InputTimes NodeRun::input_so_far() const {
    auto batches = pipeline_.times();
    batches += evaluation_input_;
    return {.interleave_s = before_.input.interleave_s + data_.input.interleave_s,
            .prepare_s = before_.input.prepare_s + data_.input.prepare_s,
            .shuffle_s = before_.input.shuffle_s + batches.shuffle_s,
            .batch_s = before_.input.batch_s + batches.batch_s,
            .map_s = before_.input.map_s + batches.map_s,
            .augment_s = before_.input.augment_s + batches.augment_s};
}

NodeSummary NodeRun::so_far() const {
    const auto input = input_so_far();
    const auto totals = process_totals();
    const auto traffic = communicator_.traffic();
    return {.node = assignment_.rank,
            .threads = assignment_.threads,
            .read_s = before_.read_s + data_.read_s,
            .preprocess_s = input.total(),
            .train_s = before_.train_s + train_s_,
            .evaluate_s = before_.evaluate_s + evaluate_s_,
            .checkpoint_s = before_.checkpoint_s + checkpoint_s_,
            .total_s = before_.total_s + Seconds(Clock::now() - began_).count(),
            .peak_resident_bytes = std::max(before_.peak_resident_bytes, totals.peak_resident_bytes),
            .cpu_user_s = before_.cpu_user_s + totals.cpu_user_s,
            .cpu_system_s = before_.cpu_system_s + totals.cpu_system_s,
            .sent_bytes = before_.sent_bytes + traffic.sent_bytes,
            .received_bytes = before_.received_bytes + traffic.received_bytes,
            .steps = steps_done_,
            .clock = {},
            .input = input};
}

std::vector<SystemSample> NodeRun::take_samples() {
    auto samples = sampler_.take();
    for (auto& sample : samples) {
        sample.time_s += before_.total_s;
        sample.sent_bytes += before_.sent_bytes;
        sample.received_bytes += before_.received_bytes;
    }
    return samples;
}

NodeCheckpoint NodeRun::in_hand() {
    const auto& strategy = assignment_.spec.strategy;
    const bool apart = trains_apart(strategy.name) || strategy.wire_type == WireType::top_k;
    NodeCheckpoint checkpoint;
    if (assignment_.rank == 0 || apart) checkpoint.tensors = get_training_tensors(*backend_, graph_);
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
