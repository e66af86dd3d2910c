#include "measure/contention.hpp"

#include <algorithm>

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

std::int64_t usable_together(std::span<const Contention* const> nodes) {
    CoreList together;
    std::int64_t most = 1;
    bool all_tell = true;
    for (const auto* node : nodes) {
        most = std::max(most, node->usable_cores);
        all_tell = all_tell && node->core_list;
        if (node->core_list) together.add(*node->core_list);
    }
    return all_tell ? std::max<std::int64_t>(together.size(), 1) : most;
}

}  // namespace convoy
