#include "failure_log.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/utc_text.hpp"
#include "report/planned_faults.hpp"
#include "run_faults.hpp"

namespace convoy {

namespace {

std::string text_of(const GoesOn& goes_on, bool is_any_lost) {
    const bool many = goes_on.nodes > 1;
    const auto* who = is_any_lost ? "the other" : "all";
    if (goes_on.apart)
        return fmt::format("{} {} nodes go on from their own steps, the slowest after step {}", who,
                           goes_on.nodes, goes_on.step);
    if (!is_any_lost && goes_on.joined.empty())
        return fmt::format("all {} nodes go on after step {}", goes_on.nodes, goes_on.step);
    const auto verb = many ? "s go" : " goes";
    if (goes_on.joined.empty())
        return fmt::format("the other {}node{} on after step {}",
                           many ? fmt::format("{} ", goes_on.nodes) : "", verb, goes_on.step);
    return fmt::format("a new process takes the place of node {}; {} node{} on after step {}",
                       fmt::join(goes_on.joined, ", "), goes_on.nodes, verb, goes_on.step);
}

/// The run goes on after from_step, so a lost node cost the steps behind it.
void lose_steps(NodeFailure& failure, std::int64_t from_step,
                const FailureLog::ExamplesBetween& examples_between) {
    // A run that is lost before it takes a step has told none yet.
    failure.step = std::max(failure.step, from_step);
    failure.steps_lost = failure.step - from_step;
    failure.examples_lost = examples_between(from_step, failure.step);
}

}  // namespace

FailureLog::FailureLog(LaunchObserver& shown, std::vector<NodeFailure>& failures, ExamplesBetween examples,
                       ShareBehind share_behind, std::function<void(const GoesOn&)> on_goes_on)
    : shown_(shown),
      failures_(failures),
      examples_between_(std::move(examples)),
      share_behind_(std::move(share_behind)),
      keep_(std::move(on_goes_on)) {}

void FailureLog::on_fault(const ComingFault& fault) {
    auto cause = "fault " + fault_text(planned_fault(fault));
    // The node has taken all steps before the one that it begins.
    const auto step = std::max(fault.told_step, fault.step.value_or(0) - 1);
    shown_.on_notice(cause);
    faults_.push_back(fault);
    failures_.push_back({.time = utc_text(),
                         .node = go_apart_ ? fault.place : fault.rank,
                         .step = step,
                         .cause = std::move(cause),
                         .fault = std::string(fault_name(fault.kind)),
                         .fault_step = fault.step});
    if (!is_survived(fault.kind))
        suffered_.push_back({.row = failures_.size() - 1, .place = fault.place, .at = Clock::now()});
    shown_.on_fault(fault);
}

std::optional<FailureLog::Suffered> FailureLog::take_suffered(const LostNode& lost) {
    // Who is found to be lost may be another one, as nodes lose each other: the fault is the cause all the
    // same.
    auto found = std::ranges::find_if(
        suffered_, [&](const Suffered& fault) { return !lost.place || fault.place == *lost.place; });
    if (found == suffered_.end())
        found = std::ranges::find_if(suffered_, [&](const Suffered& fault) {
            return failures_[fault.row].fault == fault_name(FaultKind::drop_link);
        });
    if (found == suffered_.end()) return std::nullopt;
    const auto suffered = *found;
    suffered_.erase(found);
    return suffered;
}

void FailureLog::on_node_lost(const LostNode& lost) {
    lost_ = lost;
    const auto now = Clock::now();
    const auto suffered = take_suffered(lost);
    const auto row = suffered ? suffered->row : failures_.size();
    if (!suffered) {
        failures_.push_back({.time = {},
                             .node = go_apart_ ? lost.place : lost.rank,
                             .cause = {},
                             .detected_after_s = lost.unseen_s});
    }
    auto& failure = failures_[row];
    failure.time = utc_text();
    failure.step = std::max(failure.step, lost.step);
    failure.cause = lost.cause;
    if (suffered) failure.detected_after_s = Seconds(now - suffered->at).count();
    unsettled_.push_back({.row = row,
                          .known = now,
                          .place = lost.place,
                          .own_step = std::max(lost.own_step, failure.fault_step.value_or(1) - 1)});
    if (lost.place) empty_places_.push_back({.place = *lost.place, .row = row, .since = now});
    shown_.on_node_lost(lost);
}

void FailureLog::settle(const std::function<void(const Loss& loss, NodeFailure& failure)>& note) {
    // Nodes that were lost together with one that was told.
    for (const auto& fault : suffered_) {
        unsettled_.push_back({.row = fault.row,
                              .known = Clock::now(),
                              .place = fault.place,
                              .own_step = failures_[fault.row].fault_step.value_or(1) - 1});
    }
    suffered_.clear();
    for (const auto& loss : unsettled_) note(loss, failures_[loss.row]);
    awaiting_.insert(awaiting_.end(), unsettled_.begin(), unsettled_.end());
    unsettled_.clear();
}

void FailureLog::note_step(std::int64_t from_step) {
    settle([&](const Loss& /*loss*/, NodeFailure& failure) {
        lose_steps(failure, from_step, examples_between_);
    });
    from_step_ = from_step;
}

// No step is taken again, and none is lost as a whole.
void FailureLog::note_going_apart(const GoesOn& goes_on) {
    settle([&](const Loss& loss, NodeFailure& failure) {
        failure.step = std::max(failure.step, goes_on.step);
        const bool is_gone = loss.place && std::ranges::count(goes_on.places, *loss.place) == 0;
        if (is_gone) failure.examples_lost = share_behind_(*loss.place, loss.own_step);
    });
    from_step_ = goes_on.step;
    go_apart_ = true;
}

void FailureLog::on_goes_on(const GoesOn& goes_on) {
    std::string causes;
    for (const auto& loss : unsettled_) causes += failures_[loss.row].cause + "; ";
    shown_.on_notice(causes + text_of(goes_on, !unsettled_.empty()));
    if (goes_on.apart) {
        note_going_apart(goes_on);
    } else {
        note_step(goes_on.step);
    }
    for (auto& empty : empty_places_) empty.is_taken = std::ranges::count(goes_on.places, empty.place) > 0;
    keep_(goes_on);
    shown_.on_goes_on(goes_on);
    begin_launch();
}

void FailureLog::on_agreed() {
    const auto now = Clock::now();
    for (const auto& loss : awaiting_) {
        auto& agreed = failures_[loss.row].agreed_after_s;
        if (!agreed) agreed = Seconds(now - loss.known).count();
    }
    shown_.on_agreed();
}

void FailureLog::note_first_step() {
    const auto now = Clock::now();
    for (const auto& loss : awaiting_)
        failures_[loss.row].first_step_after_s = Seconds(now - loss.known).count();
    awaiting_.clear();
    for (const auto& empty : empty_places_)
        if (empty.is_taken) failures_[empty.row].replaced_after_s = Seconds(now - empty.since).count();
    std::erase_if(empty_places_, &EmptyPlace::is_taken);
}

void FailureLog::on_progress(const NodeProgress& progress) {
    if (progress.phase == phase::train && progress.step > from_step_) note_first_step();
    shown_.on_progress(progress);
}

void settle_last_losses(std::vector<NodeFailure>& failures, std::int64_t from_step,
                        const FailureLog::ExamplesBetween& examples_between) {
    bool is_last = true;
    for (auto row = failures.rbegin(); row != failures.rend(); ++row) {
        if (row->fault == fault_name(FaultKind::slow)) continue;
        // Behind an earlier loss before this step, the run has gone on already.
        if (row->first_step_after_s || row->steps_lost > 0 || (!is_last && row->step < from_step)) return;
        is_last = false;
        lose_steps(*row, from_step, examples_between);
    }
}

}  // namespace convoy
