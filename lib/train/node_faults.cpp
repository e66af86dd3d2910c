#include "train/node_faults.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <future>

namespace convoy {

namespace {

void wait_for_ever() {
    std::promise<void> never;
    never.get_future().wait();
}

void do_fault(const FaultSpec& fault, NodeReporter& reporter, Participation& part) {
    switch (fault.kind) {
        case FaultKind::kill: ::kill(::getpid(), SIGKILL); return;
        case FaultKind::term: ::kill(::getpid(), SIGTERM); return;
        case FaultKind::hang: ::kill(::getpid(), SIGSTOP); return;
        case FaultKind::slow: return part.slow_down_by(fault.factor);
        case FaultKind::drop_link: return part.communicator().drop_links();
        case FaultKind::partition: return reporter.cut_off();
        case FaultKind::deadlock: return wait_for_ever();
    }
}

}  // namespace

void NodeFaults::begin_step(std::int64_t step, NodeReporter& reporter, Participation& part) const {
    const auto found = std::ranges::find(faults_, step, &FaultSpec::step);
    if (found == faults_.end()) return;
    reporter.fault(*found);
    do_fault(*found, reporter, part);
}

}  // namespace convoy
