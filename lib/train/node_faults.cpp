#include "train/node_faults.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>

namespace convoy {

namespace {

void do_fault(const FaultSpec& fault, Participation& part) {
    switch (fault.kind) {
        case FaultKind::kill: ::kill(::getpid(), SIGKILL); return;
        case FaultKind::term: ::kill(::getpid(), SIGTERM); return;
        case FaultKind::hang: ::kill(::getpid(), SIGSTOP); return;
        case FaultKind::slow: return part.slow_down_by(fault.factor);
        case FaultKind::drop_link: return part.communicator().drop_links();
    }
}

}  // namespace

void NodeFaults::begin_step(std::int64_t step, NodeReporter& reporter, Participation& part) const {
    const auto found = std::ranges::find(faults_, step, &FaultSpec::step);
    if (found == faults_.end()) return;
    reporter.fault(*found);
    do_fault(*found, part);
}

}  // namespace convoy
