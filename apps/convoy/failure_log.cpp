#include "failure_log.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

namespace convoy {

void FailureLog::on_node_lost(const LostNode& lost) {
    lost_ = lost;
    lost_at_ = Clock::now();
    failures_.push_back({.time = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))),
                         .node = lost.rank,
                         .step = lost.step,
                         .cause = lost.cause,
                         .detected_after_s = lost.unseen_s});
    shown_.on_node_lost(lost);
}

void FailureLog::note_step(std::int64_t from_step) {
    auto& failure = failures_.back();
    // A run that is lost before it takes a step has told none yet.
    failure.step = std::max(failure.step, from_step);
    failure.steps_lost = failure.step - from_step;
    from_step_ = from_step;
}

void FailureLog::begin_launch() {
    awaits_step_ = lost_.has_value();
    lost_.reset();
}

void FailureLog::on_progress(const NodeProgress& progress) {
    if (awaits_step_ && progress.phase == phase::train && progress.step > from_step_) {
        failures_.back().first_step_after_s = Seconds(Clock::now() - lost_at_).count();
        awaits_step_ = false;
    }
    shown_.on_progress(progress);
}

}  // namespace convoy
