#include "failure_log.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <utility>

namespace convoy {

namespace {

std::string text_of(const GoesOn& goes_on) {
    const bool many = goes_on.nodes > 1;
    const auto verb = many ? "s go" : " goes";
    if (goes_on.joined.empty())
        return fmt::format("the other {}node{} on after step {}",
                           many ? fmt::format("{} ", goes_on.nodes) : "", verb, goes_on.step);
    return fmt::format("a new process takes the place of node {}; {} node{} on after step {}",
                       fmt::join(goes_on.joined, ", "), goes_on.nodes, verb, goes_on.step);
}

}  // namespace

void FailureLog::on_node_lost(const LostNode& lost) {
    lost_ = lost;
    failures_.push_back({.time = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))),
                         .node = lost.rank,
                         .step = lost.step,
                         .cause = lost.cause,
                         .detected_after_s = lost.unseen_s});
    awaited_.push_back({.failure = failures_.size() - 1, .since = Clock::now()});
    awaits_step_ = false;
    if (lost.place) empty_places_[*lost.place] = {.since = awaited_.back()};
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
    shown_.on_notice(causes + text_of(goes_on));
    note_step(goes_on.step);
    for (auto& [place, empty] : empty_places_) empty.is_taken = std::ranges::count(goes_on.places, place) > 0;
    keep_(goes_on);
    shown_.on_goes_on(goes_on);
    begin_launch();
}

void FailureLog::begin_launch() {
    awaits_step_ = true;
    lost_.reset();
}

void FailureLog::note_first_step() {
    const auto now = Clock::now();
    const auto since = [now](const Loss& loss) { return Seconds(now - loss.since).count(); };
    for (const auto& loss : std::exchange(awaited_, {}))
        failures_[loss.failure].first_step_after_s = since(loss);
    awaits_step_ = false;
    for (const auto& [place, empty] : empty_places_)
        if (empty.is_taken) failures_[empty.since.failure].replaced_after_s = since(empty.since);
    std::erase_if(empty_places_, [](const auto& each) { return each.second.is_taken; });
}

void FailureLog::on_progress(const NodeProgress& progress) {
    if (awaits_step_ && progress.phase == phase::train && progress.step > from_step_) note_first_step();
    shown_.on_progress(progress);
}

}  // namespace convoy
