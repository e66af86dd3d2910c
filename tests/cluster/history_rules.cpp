#include <fmt/format.h>

#include <algorithm>

#include "base/clock.hpp"
#include "cluster/inquest.hpp"
#include "cluster/simulated_run.hpp"

using namespace convoy;

namespace {

/// Evidence of a cause ends the search for it; other evidence is collected for so long.
constexpr double grace_s = Seconds(Inquest::time_for_evidence).count();
/// From a fault to the end: silence, the search, the departure, and as many slow messages.
constexpr double longest_agony_s = 15.0;

}  // namespace

void SimulatedRun::note_evidence(const MembershipEvent& event) {
    if (ending_) return;
    const auto worker_of = [this](ConnectionId id) { return links_.at(id).worker; };
    const auto has_process = [this](ConnectionId id) {
        const auto worker = links_.at(id).worker;
        return !worker || !workers_[*worker].by_hand;
    };
    std::optional<std::size_t> cause, other;
    if (const auto* ended = std::get_if<event::ProcessEnded>(&event)) {
        cause = worker_at(ended->rank).index;
    } else if (const auto* garbled = std::get_if<event::Garbled>(&event)) {
        cause = worker_of(garbled->connection);
    } else if (const auto* closed = std::get_if<event::Closed>(&event)) {
        (has_process(closed->connection) ? other : cause) = worker_of(closed->connection);
    } else if (const auto* said = std::get_if<event::Said>(&event)) {
        const auto* failed = std::get_if<said::Failed>(&said->message);
        if (failed == nullptr) return;
        (failed->problem.code == ExitCode::data ? cause : other) = worker_of(said->connection);
    }
    if ((cause || other) && !first_evidence_s_) first_evidence_s_ = time_.now_s();
    if (cause && !first_cause_) first_cause_ = Cause{.at_s = time_.now_s(), .worker = *cause};
}

/// All nodes that are left know of a cause at once.
void SimulatedRun::check_notice() {
    if (!first_cause_ || first_cause_->at_s != time_.now_s()) return;
    for (const auto& [id, link] : links_)
        if (link.admitted && link.open && link.last_words == 0 && !link.told_to_suspend &&
            !workers_[link.worker.value()].suspended)
            return violate(fmt::format("worker {} is not told at once of a failure", link.worker.value()));
}

/// Those that are left go on after the last step that any of them has, and the processes of the others are
/// gone.
void SimulatedRun::check_regrouping(const Regrouping& regrouping) {
    if (!plan_.shrinks) violate("a run goes on without a node, and should not");
    std::set<std::size_t> left;
    std::int64_t last = 0;
    for (const auto rank : regrouping.ranks) {
        const auto& worker = worker_at(rank);
        left.insert(worker.index);
        last = std::max(last, worker.committed);
        if (!worker.suspended) violate(fmt::format("worker {} does not stand still", worker.index));
        if (!worker.has_state)
            violate(fmt::format("worker {} has no state with which it goes on", worker.index));
    }
    if (left.empty()) violate("nobody is left");
    for (const auto index : members_.workers()) {
        const auto told = ranks_lost_.count(*current_rank(workers_[index]));
        const bool is_lost = !left.contains(index);
        if (told > (is_lost ? 1U : 0U) || (is_lost && told == 0 && workers_[index].has_state))
            violate(fmt::format("the loss of worker {} is told {} times", index, told));
    }
    const auto unlinks = [](const PlannedFault& fault) { return fault.kind == Fault::unlink; };
    if (std::ssize(left) == members_.count() && !plan_.grows && std::ranges::none_of(plan_.faults, unlinks))
        violate("nobody is lost");
    for (const auto index : members_.workers())
        if (!left.contains(index) && workers_[index].alive)
            violate(fmt::format("the process of worker {}, which is lost, lives on", index));
    if (regrouping.step != last) violate("the step from which a run goes on is not the last");
    for (const auto rank : regrouping.ranks) {
        const bool is_behind = std::ranges::count(regrouping.behind, rank) > 0;
        const auto committed = worker_at(rank).committed;
        if (is_behind != (committed < last)) violate("another worker is behind");
        if (committed < last - 1) violate("a worker is two steps behind");
    }
    if (!regrouping.behind.empty() && state_of_step_ != last) violate("no state for a worker that is behind");
}

void SimulatedRun::check_may_fail() {
    const auto is_loss = [](const PlannedFault& fault) {
        return fault.kind == Fault::kill || fault.kind >= Fault::hang;
    };
    const bool goes_on = plan_.shrinks && agreed_once_ && std::ranges::all_of(plan_.faults, is_loss);
    if (!goes_on || signals_ > 0 || stop_wanted_) return;
    const auto is_at_the_end = [this](const Worker& worker) {
        return !worker.gone && worker.begun >= plan_.steps;
    };
    if (std::ranges::any_of(workers_, is_at_the_end)) return;
    for (const auto& worker : workers_)
        if (!worker.gone && worker.alive && !worker.hung && !worker.stalled && !worker.cut &&
            worker.has_state)
            return violate(fmt::format("the run ends, and worker {} could go on", worker.index));
}

void SimulatedRun::check_end() {
    if (!violations_.empty()) return;
    if (!membership_.is_over()) return violate("the run never ends");
    if (membership_.next_due()) violate("the machine waits for a time after the end");
    for (const auto& worker : workers_)
        if (worker.alive && !worker.by_hand && !members_.waits(worker.index))
            violate(fmt::format("the process of worker {} lives on", worker.index));
    for (const auto& member : membership_.members())
        if (member.connection) violate(fmt::format("node {} is still connected", member.info.rank));
    for (const auto& [id, link] : links_)
        if (link.last_words > 1) violate("a member gets two last words");
    const bool failed = !plan_.shrinks || membership_.verdict().error;
    if (!suffered_.empty() && failed && time_.now_s() > last_fault_s_ + longest_agony_s)
        violate(fmt::format("the run ends {} s after its last fault", time_.now_s() - last_fault_s_));
    check_verdict();
    // Whatever is still on its way leads to no action.
    while (time_.next_s() && violations_.empty()) take_next();
}

/// A loss that ends a run is told, once, and with the words of the error; nothing else is told as a loss.
void SimulatedRun::check_lost(const MembershipVerdict& verdict) {
    if (!lost_) {
        if (verdict.error && verdict.error->code == ExitCode::node_lost && signals_ == 0 && !stop_wanted_)
            violate("a loss is not told: " + verdict.error->message);
        return;
    }
    if (suffered_.empty()) violate("a loss without a fault: " + lost_->cause);
    if (verdict.error && !plan_.shrinks && verdict.error->message != lost_->cause)
        violate("the run ends with \"" + verdict.error->message + "\", and the loss is " + lost_->cause);
    if (lost_->unseen_s.value_or(0.0) < 0) violate("a node was lost before it was heard");
    if (lost_->had_begun != assigned_) violate("a loss tells another phase");
}

void SimulatedRun::check_verdict() {
    const auto verdict = membership_.verdict();
    check_lost(verdict);
    note(fmt::format("verdict: {}, interrupted {}", verdict.error ? verdict.error->message : "no error",
                     verdict.interrupted));
    const bool stops = signals_ > 0 || stop_wanted_;
    if (stops && results_came_ && verdict.error && !signalled_before_assigned_)
        return violate("an interrupted run keeps nothing");
    if (!stops && verdict.interrupted) return violate("an interruption that nobody asked for");
    if (!verdict.error) {
        if (!verdict.interrupted &&
            std::ranges::any_of(workers_, [](const auto& one) { return !one.done && !one.gone; }))
            violate("a run is done before its nodes are");
        for (const auto index : members_.workers())
            if (!verdict.interrupted && workers_[index].begun != plan_.steps)
                violate("a node leaves out steps");
        if (suffered_.empty()) check_undisturbed();
        return;
    }
    if (signals_ > 0 && verdict.error->code == ExitCode::interrupted) {
        const auto begun = [](const Worker& worker) { return worker.begun > 0; };
        if (signals_ == 1 && std::ranges::any_of(workers_, begun) && (!plan_.shrinks || suffered_.empty()))
            violate("a run that is interrupted once does not finish its step");
        return;
    }
    // A launcher that stands still between its question and its answer to it holds nodes up.
    const bool held_up = stop_wanted_ && plan_.stopped_for_s > simulated_deadline_s / 2 &&
                         verdict.error->message.starts_with("the launcher stood still for");
    if (suffered_.empty() && held_up) return;
    if (suffered_.empty()) return violate("a run without a fault fails: " + verdict.error->message);
    check_blame(verdict.error->message);
}

/// Nobody was lost and nothing failed.
void SimulatedRun::check_undisturbed() {
    if (signals_ == 0 && !stop_wanted_) {
        for (const auto& worker : workers_)
            if (worker.begun != plan_.steps) violate("a node leaves out steps");
        return;
    }
    if (signals_ > 1) return;
    for (const auto& worker : workers_) {
        if (!worker.done) violate("an interrupted node is not done");
        if (worker.begun != workers_.front().begun) violate("nodes stop before different steps");
    }
}

/// The message names a node that had a fault, and where one cause came first, the node of that one.
void SimulatedRun::check_blame(const std::string& message) {
    const auto names = [&message](std::int64_t rank) {
        const auto name = fmt::format("node {}", rank);
        return message.find(name + " ") != std::string::npos || message.find(name + ":") != std::string::npos;
    };
    const auto rank_of = [this](const Worker& worker) -> std::optional<std::int64_t> {
        if (members_.generation() > 0) return current_rank(worker);
        if (worker.rank) return worker.rank;
        if (!worker.by_hand) return static_cast<std::int64_t>(worker.index);
        return std::nullopt;
    };
    if (first_cause_ && first_cause_->at_s - *first_evidence_s_ < grace_s / 2) {
        const auto rank = rank_of(workers_[first_cause_->worker]);
        const bool silent = std::ranges::any_of(plan_.faults, [](const PlannedFault& fault) {
            return fault.kind >= Fault::hang || fault.kind <= Fault::fingerprint;
        });
        // A run that goes on without the first may end because of another.
        const bool was_told = rank && plan_.shrinks && ranks_lost_.contains(*rank);
        if (rank && !silent && !was_told && !names(*rank))
            return violate(fmt::format("node {} failed first, and the run blames: {}", *rank, message));
    }
    for (const auto index : suffered_) {
        const auto& worker = workers_[static_cast<std::size_t>(index)];
        if (fault_of(worker) == Fault::unlink) return;  // nodes lose each other, and nobody is to blame
        const auto rank = rank_of(worker);
        if (rank && names(*rank)) return;
        if (rank) continue;
        // A worker by hand that never joined leaves a free place, and that is named.
        for (const auto& member : membership_.members())
            if (!member.joined && member.seat.by_hand && names(member.info.rank)) return;
    }
    violate("the run blames a node without a fault: " + message);
}
