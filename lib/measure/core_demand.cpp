#include "measure/core_demand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/count_text.hpp"
#include "base/ranks_text.hpp"

namespace convoy {

double core_demand(std::span<const NodeThreads> nodes) {
    struct Host {
        double threads = 0.0;
        std::optional<double> limit;
    };
    std::map<std::int64_t, Host> hosts;
    double demand = 0.0;
    for (const auto& node : nodes) {
        if (!node.host) {
            demand += node.threads;
            continue;
        }
        auto& host = hosts[*node.host];
        host.threads += node.threads;
        host.limit = node.host_cpu;
    }
    for (const auto& [number, host] : hosts)
        demand += std::min(host.threads, host.limit.value_or(host.threads));
    return demand;
}

std::optional<Finding> shared_cores(std::span<const NodeThreads> nodes, std::int64_t usable_cores) {
    // Limits of hosts are decimal numbers, whose sum may be above a whole number by a rounding.
    constexpr double rounding = 1e-6;
    const auto demand = core_demand(nodes);
    if (demand <= static_cast<double>(usable_cores) + rounding) return std::nullopt;
    std::vector<std::int64_t> ranks;
    std::int64_t threads = 0;
    for (const auto& node : nodes) {
        ranks.push_back(node.rank);
        threads += node.threads;
    }
    const bool on_hosts = std::ranges::any_of(nodes, [](const auto& node) { return node.host.has_value(); });
    const bool limited = demand < static_cast<double>(threads);
    return Finding{
        .cause = fmt::format(
            "{} {} {} compute threads{}, and {} {} usable for them: times show how threads "
            "share cores, and not the strategy",
            ranks_text(ranks), ranks.size() == 1 ? "has" : "have", threads,
            limited ? fmt::format(" (at most {:g} cores by the limits of their hosts)", demand) : "",
            count_text(usable_cores, "core"), usable_cores == 1 ? "is" : "are"),
        .remedy = on_hosts
                      ? "use fewer nodes or threads, more machines, or lower $.cluster.cpu of emulated hosts"
                      : "use fewer nodes or threads, or more machines"};
}

}  // namespace convoy
