#include "cluster/history_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace {

class Dice {
  public:
    explicit Dice(std::uint64_t seed) : engine_(seed) {}
    std::int64_t whole(std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(engine_);
    }
    double real(double least, double most) {
        return std::uniform_real_distribution<double>(least, most)(engine_);
    }
    bool chance(double probability) { return real(0, 1) < probability; }

  private:
    std::mt19937_64 engine_;
};

constexpr std::array fault_names{"start_fails", "absent", "version", "fingerprint", "kill",  "error",
                                 "garble",      "hang",   "stall",   "cut",         "unlink"};
constexpr std::array stranger_names{"silent", "nonsense", "hangs_up", "wrong_token", "too_late", "flood"};

PlannedFault draw_fault(Dice& dice, const HistoryPlan& plan) {
    PlannedFault fault;
    // A node that stands still alone in a step, or another one's fingerprint where there is no other, is no
    // fault.
    fault.kind = static_cast<Fault>(dice.whole(0, static_cast<std::int64_t>(Fault::cut)));
    if (plan.nodes == 1 && fault.kind == Fault::fingerprint) fault.kind = Fault::kill;
    fault.worker = static_cast<std::size_t>(dice.whole(0, static_cast<std::int64_t>(plan.nodes) - 1));
    fault.stage = fault.kind == Fault::stall ? dice.whole(0, plan.steps) : dice.whole(0, plan.steps + 1);
    if (fault.kind <= Fault::fingerprint || (fault.kind == Fault::stall && plan.nodes == 1)) fault.stage = 0;
    return fault;
}

}  // namespace

HistoryPlan draw_history(std::uint64_t seed) {
    Dice dice(seed);
    HistoryPlan plan;
    plan.seed = seed;
    plan.nodes = static_cast<std::size_t>(dice.whole(1, 5));
    if (dice.chance(0.5))
        plan.by_hand = static_cast<std::size_t>(dice.whole(0, static_cast<std::int64_t>(plan.nodes)));
    plan.steps = dice.whole(1, 10);
    if (dice.chance(0.4)) plan.checkpoint_every = dice.whole(1, 4);
    plan.slowest_message_s = dice.chance(0.2) ? 0.35 : dice.real(0.001, 0.03);
    plan.slowest_step_s = dice.real(0.01, 0.6);
    if (dice.chance(0.3)) plan.slowest_evaluation_s = dice.real(0.0, 3.0);
    if (dice.chance(0.3)) plan.slowest_start_s = dice.real(0.0, 0.5);
    const auto faults = dice.chance(0.4) ? 0 : dice.chance(0.7) ? 1 : dice.whole(2, 3);
    for (std::int64_t i = 0; i < faults; ++i) {
        const auto fault = draw_fault(dice, plan);
        const auto stalls = [&](const PlannedFault& other) {
            return other.kind == Fault::stall && (other.stage > 0 || fault.stage > 0);
        };
        const auto same = [&](const PlannedFault& other) { return other.worker == fault.worker; };
        // Two that stand still in a step wait for nobody, and one worker has one fault.
        if (fault.kind == Fault::stall && std::ranges::any_of(plan.faults, stalls)) continue;
        if (std::ranges::none_of(plan.faults, same)) plan.faults.push_back(fault);
    }
    const auto strangers = dice.chance(0.5) ? 0 : dice.whole(1, 4);
    for (std::int64_t i = 0; i < strangers; ++i) {
        const auto kind = static_cast<Stranger>(dice.whole(0, 5));
        plan.strangers.push_back({.kind = kind, .at_s = dice.real(0, 1.5)});
    }
    if (dice.chance(0.3)) plan.signals_at_s.push_back(dice.real(0, 4));
    if (!plan.signals_at_s.empty() && dice.chance(0.4))
        plan.signals_at_s.push_back(plan.signals_at_s[0] + dice.real(0, 1));
    if (plan.faults.empty() && plan.signals_at_s.empty() && dice.chance(0.2))
        plan.suspended_after_step = dice.whole(1, plan.steps);
    // Nodes by hand do not wait for a launcher that stands still.
    if (plan.faults.empty() && plan.signals_at_s.empty() && plan.by_hand == 0 && dice.chance(0.3)) {
        plan.stopped_at_s = dice.real(0, 5);
        plan.stopped_for_s = dice.real(0, 20);
    }
    if (dice.chance(0.2)) plan.stop_wanted_at_s = dice.real(0, 4);
    plan.shrinks = plan.by_hand == 0 && plan.checkpoint_every == 0 && dice.chance(0.6);
    return plan;
}

HistoryPlan draw_history_of_changes(std::uint64_t seed) {
    Dice dice(seed);
    HistoryPlan plan;
    plan.seed = seed;
    plan.shrinks = true;
    plan.grows = dice.chance(0.8);
    plan.nodes = static_cast<std::size_t>(dice.whole(2, 5));
    plan.steps = dice.whole(5, 30);
    plan.slowest_message_s = dice.chance(0.2) ? 0.35 : dice.real(0.001, 0.03);
    plan.slowest_step_s = dice.real(0.01, 0.3);
    if (dice.chance(0.3)) plan.slowest_evaluation_s = dice.real(0.0, 3.0);
    if (dice.chance(0.3)) plan.slowest_start_s = dice.real(0.0, 0.5);
    const auto draw = [&](std::size_t worker) {
        const auto kind = dice.chance(0.5)   ? Fault::kill
                          : dice.chance(0.4) ? Fault::hang
                          : dice.chance(0.5) ? Fault::cut
                                             : Fault::unlink;
        return PlannedFault{.kind = kind, .worker = worker, .stage = dice.whole(0, plan.steps + 1)};
    };
    for (std::size_t worker = 0; worker < plan.nodes; ++worker)
        if (dice.chance(0.4)) plan.faults.push_back(draw(worker));
    for (auto worker = plan.nodes; dice.chance(0.6); ++worker)
        if (dice.chance(0.5)) plan.later_faults.push_back(draw(worker));
    // Nobody waits for a node that stands still alone.
    if (plan.faults.empty() && plan.later_faults.empty() && dice.chance(0.5))
        plan.faults.push_back(
            {.kind = Fault::stall, .worker = plan.nodes - 1, .stage = dice.whole(1, plan.steps)});
    if (dice.chance(0.15)) plan.signals_at_s.push_back(dice.real(0, 10));
    if (dice.chance(0.1)) plan.stop_wanted_at_s = dice.real(0, 10);
    return plan;
}

std::string HistoryPlan::text() const {
    auto line = fmt::format("seed {}: {} nodes, {} by hand, {} steps, checkpoint every {}", seed, nodes,
                            by_hand, steps, checkpoint_every);
    for (const auto& fault : faults)
        line += fmt::format("; worker {} {} at {}", fault.worker,
                            fault_names.at(static_cast<std::size_t>(fault.kind)), fault.stage);
    for (const auto& stranger : strangers)
        line += fmt::format("; stranger {} at {:.3f} s",
                            stranger_names.at(static_cast<std::size_t>(stranger.kind)), stranger.at_s);
    for (const auto at : signals_at_s) line += fmt::format("; signal at {:.3f} s", at);
    if (shrinks) line += grows ? "; shrinks and grows" : "; shrinks";
    for (const auto& fault : later_faults)
        line += fmt::format("; later worker {} {} at {}", fault.worker,
                            fault_names.at(static_cast<std::size_t>(fault.kind)), fault.stage);
    if (stop_wanted_at_s) line += fmt::format("; stop wanted at {:.3f} s", *stop_wanted_at_s);
    if (stopped_for_s > 0)
        line += fmt::format("; launcher stopped at {:.3f} s for {:.3f} s", stopped_at_s, stopped_for_s);
    if (suspended_after_step > 0) line += fmt::format("; suspended after step {}", suspended_after_step);
    return line;
}
