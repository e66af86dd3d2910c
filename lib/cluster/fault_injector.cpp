#include "cluster/fault_injector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "base/error.hpp"
#include "cluster/control_messages.hpp"

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

void FaultInjector::node_suffers(std::int64_t rank, std::int64_t step) {
    const auto place = parts_.processes.at(rank).place;
    if (const auto fault = faults_.take(place, step))
        parts_.observer.on_fault({.rank = rank,
                                  .place = place,
                                  .kind = fault->kind,
                                  .step = fault->step,
                                  .factor = fault->factor,
                                  .told_step = told_step()});
}

std::optional<TimePoint> FaultInjector::next_due() const {
    // A node that stands still for others has no fault: whose fault it is would not be known.
    return parts_.membership.is_undisturbed() ? faults_.next_due() : std::nullopt;
}

void FaultInjector::do_due() {
    if (parts_.membership.is_over()) return;
    while (next_due()) {
        const auto fault = faults_.take_due(Clock::now());
        if (!fault) return;
        const auto rank = parts_.processes.rank_of(fault->node);
        if (!rank) {
            parts_.observer.on_notice(
                fmt::format("the fault {} of node {} does not happen: the node is not there",
                            fault_name(fault->kind), fault->node));
            continue;
        }
        parts_.observer.on_fault(
            {.rank = *rank, .place = fault->node, .kind = fault->kind, .told_step = told_step()});
        do_to(*fault, *rank);
        faults_.note_disturbance();
    }
}

void FaultInjector::do_to(const TimedFault& fault, std::int64_t rank) {
    if (fault.kind != FaultKind::partition) return parts_.starter.signal(fault.node, signal_of(fault.kind));
    const auto& connection = parts_.membership.members()[static_cast<std::size_t>(rank)].connection;
    if (connection) parts_.links.send(*connection, encode(told::Partition{}));
}

std::int64_t FaultInjector::told_step() const {
    std::int64_t step = 0;
    for (const auto& member : parts_.membership.members())
        if (member.progress) step = std::max(step, member.progress->step);
    return step;
}

}  // namespace convoy
