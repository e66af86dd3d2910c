#include "plan/step_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace convoy {
namespace {

ExchangeCost exchanged(std::span<const Call> calls, std::int64_t rank, const HostMap& hosts) {
    ExchangeCost sum;
    for (const auto& [program, times] : calls) {
        for (const auto& op : program.operators) {
            if (!ends_exchange(op)) continue;
            const auto once = exchange_cost(program, op, rank, hosts);
            for (std::int64_t i = 0; i < times; ++i) sum += once;
        }
    }
    return sum;
}

}  // namespace

std::vector<Call> calls_of_step(const NodePlan& node) {
    const auto& step = node.routine.steps.at(0).steady;
    std::vector<Call> calls;
    for (const auto index : std::set(step.begin(), step.end()))
        calls.push_back({node.programs.at(index), std::ranges::count(step, index)});
    return calls;
}

std::int64_t activation_bytes(const KernelSpec& kernels) {
    return kernels.compute_type == ComputeType::bfloat16 ? 2 : 4;
}

StepCost step_cost(std::span<const Call> calls, std::int64_t rank, const HostMap& hosts,
                   std::int64_t bytes_of_activation) {
    StepCost sum{.work = {}, .exchanged = exchanged(calls, rank, hosts)};
    for (const auto& [program, times] : calls) {
        const auto once = cost_of(program, bytes_of_activation);
        for (std::int64_t i = 0; i < times; ++i) sum.work += once;
    }
    return sum;
}

std::string exchange_lines(const Program& program, std::int64_t rank, const HostMap& hosts) {
    std::string lines;
    for (const auto& op : program.operators) {
        if (!ends_exchange(op)) continue;
        const auto cost = exchange_cost(program, op, rank, hosts);
        lines += fmt::format("exchange {}: {}, {} elements", op.name, exchange_text(program, op),
                             program.tensor(op.inputs.at(0)).shape.elements());
        lines += cost.known ? fmt::format(", rank {} sends {} bytes in {} frames\n", rank, cost.sent_bytes,
                                          cost.sent_frames)
                            : std::string("\n");
    }
    return lines;
}

std::string sent_text(std::span<const Call> calls, std::span<const std::int64_t> ranks,
                      const HostMap& hosts) {
    constexpr std::size_t looked_at = 32;
    std::uint64_t least = UINT64_MAX, most = 0;
    for (const auto rank : ranks.first(std::min(ranks.size(), looked_at))) {
        const auto cost = exchanged(calls, rank, hosts);
        if (!cost.known) return "an unknown number of bytes sent by MPI";
        least = std::min(least, cost.sent_bytes);
        most = std::max(most, cost.sent_bytes);
    }
    if (least == most) return fmt::format("{} bytes sent", most);
    return fmt::format("{} to {} bytes sent", least, most);
}

}  // namespace convoy
