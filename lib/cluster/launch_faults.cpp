// The faults of an experiment, as the launcher knows them.

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <iterator>

#include "base/error.hpp"
#include "cluster/control_messages.hpp"
#include "cluster/launch.hpp"

namespace convoy {

namespace {

int signal_of(FaultKind kind) {
    switch (kind) {
        case FaultKind::kill: return SIGKILL;
        case FaultKind::term: return SIGTERM;
        case FaultKind::hang: return SIGSTOP;
        default: throw InternalError("a fault that no signal does");
    }
}

}  // namespace

std::vector<FaultSpec> Launch::faults_of(std::int64_t rank) const {
    const auto place = processes_.at(static_cast<std::size_t>(rank)).number;
    std::vector<FaultSpec> faults;
    std::ranges::copy_if(faults_left_, std::back_inserter(faults),
                         [place](const FaultSpec& fault) { return fault.node == place; });
    return faults;
}

void Launch::perform(const action::TellFault& tell) {
    const auto place = processes_.at(static_cast<std::size_t>(tell.rank)).number;
    const auto is_it = [&](const FaultSpec& fault) { return fault.node == place && fault.step == tell.step; };
    const auto found = std::ranges::find_if(faults_left_, is_it);
    if (found == faults_left_.end()) return;
    observer_.on_fault({.rank = tell.rank,
                        .place = place,
                        .kind = found->kind,
                        .step = found->step,
                        .factor = found->factor,
                        .told_step = told_step()});
    faults_left_.erase(found);
}

void Launch::perform(const action::TellAgreed& /*tell*/) {
    trains_ = true;
    if (options_.timed_faults != nullptr) options_.timed_faults->begin(Clock::now());
    observer_.on_agreed();
}

std::optional<TimePoint> Launch::next_fault() const {
    // A node that stands still for others has no fault: whose fault it is would not be known.
    const bool may_come = trains_ && membership_.is_undisturbed() && options_.timed_faults != nullptr;
    return may_come ? options_.timed_faults->next_due() : std::nullopt;
}

void Launch::do_timed_faults() {
    if (membership_.is_over()) return;
    while (next_fault()) {
        const auto fault = options_.timed_faults->take_due(Clock::now());
        if (!fault) return;
        const auto rank = rank_of(fault->node);
        if (!rank) {
            observer_.on_notice(fmt::format("the fault {} of node {} does not happen: the node is not there",
                                            fault_name(fault->kind), fault->node));
            continue;
        }
        observer_.on_fault(
            {.rank = *rank, .place = fault->node, .kind = fault->kind, .told_step = told_step()});
        do_timed_fault(*fault, *rank);
        trains_ = false;  // the next fault waits until the loss is known, and all nodes train again
    }
}

void Launch::do_timed_fault(const TimedFault& fault, std::int64_t rank) {
    if (fault.kind != FaultKind::partition)
        return starter_of(fault.node).signal(fault.node, signal_of(fault.kind));
    const auto& connection = membership_.members()[static_cast<std::size_t>(rank)].connection;
    if (connection) links_.send(*connection, encode(told::Partition{}));
}

std::int64_t Launch::told_step() const {
    std::int64_t step = 0;
    for (const auto& member : membership_.members())
        if (member.progress) step = std::max(step, member.progress->step);
    return step;
}

}  // namespace convoy
