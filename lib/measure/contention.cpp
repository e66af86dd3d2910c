#include "measure/contention.hpp"

namespace convoy {
namespace {

/// The sum; absent if either is, since a part of the time would look like all of it.
template <typename Value>
std::optional<Value> sum(const std::optional<Value>& a, const std::optional<Value>& b) {
    return a && b ? std::optional(*a + *b) : std::nullopt;
}

}  // namespace

Contention together(const Contention& before, const Contention& after) {
    auto both = after;
    both.elapsed_s += before.elapsed_s;
    both.cpu_s += before.cpu_s;
    both.starter_cpu_s = sum(before.starter_cpu_s, after.starter_cpu_s);
    both.waited_s = sum(before.waited_s, after.waited_s);
    both.involuntary_switches += before.involuntary_switches;
    both.machine_busy_s = sum(before.machine_busy_s, after.machine_busy_s);
    both.steal_s = sum(before.steal_s, after.steal_s);
    both.retransmits = sum(before.retransmits, after.retransmits);
    both.load_at_start = before.load_at_start;
    both.start_mhz = before.start_mhz;
    return both;
}

}  // namespace convoy
