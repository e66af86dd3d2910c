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
    for (; settled_ < failures_.size(); ++settled_) {
        auto& failure = failures_[settled_];
        // A run that is lost before it takes a step has told none yet.
        failure.step = std::max(failure.step, from_step);
        failure.steps_lost = failure.step - from_step;
    }
    from_step_ = from_step;
}

void FailureLog::on_goes_on(const GoesOn& goes_on) {
    std::string causes;
    for (auto i = settled_; i < failures_.size(); ++i) causes += failures_[i].cause + "; ";
    const auto many = goes_on.nodes > 1;
    shown_.on_notice(fmt::format("{}the other {}node{} go{} on after step {}", causes,
                                 many ? fmt::format("{} ", goes_on.nodes) : "", many ? "s" : "",
                                 many ? "" : "es", goes_on.step));
    note_step(goes_on.step);
    keep_(goes_on);
    shown_.on_goes_on(goes_on);
    begin_launch();
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
