#include "cluster/failure.hpp"

#include <algorithm>

namespace convoy {

Evidence evidence_of_report(ExitCode code) {
    // unavailable: its peers did not come to form the ring.
    const bool of_a_peer =
        code == ExitCode::node_lost || code == ExitCode::deadline || code == ExitCode::unavailable;
    return of_a_peer ? Evidence::consequence : Evidence::cause;
}

const Failure* root_cause(std::span<const Failure> in_order_of_arrival) {
    const auto best = std::ranges::min_element(in_order_of_arrival, {}, &Failure::evidence);
    return best == in_order_of_arrival.end() ? nullptr : &*best;
}

}  // namespace convoy
