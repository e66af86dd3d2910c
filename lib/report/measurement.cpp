#include "report/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "report/columns.hpp"
#include "report/time_unit.hpp"
#include "report/undisturbed_steps.hpp"

namespace convoy {
namespace {

/// Others may use this share of all cores, and at most so many cores. Measured with a node of one thread on
/// two cores, in runs of 1.4 s: on the idle machine they used 0.01 to 0.06 cores (daemons, kernel threads),
/// beside a process that keeps a core busy 0.9 to 1.5. So 0.06 of two cores are between; in short runs the
/// error of counting decides. A busy process uses more than half a core of a machine of any size.
constexpr double most_others_share = 0.03;
constexpr double most_others_cores = 0.5;
/// The hypervisor may give this share of all cores away. The same machine, a guest, lost 0 where it was idle,
/// and up to 0.9% where it was busy.
constexpr double most_steal_share = 0.02;
/// Looks may be slow before so many steps without a word.
constexpr double most_slow_core_pct = 10.0;
/// A process that keeps a core busy gets at least so much of one beside a run with a thread on each core. A
/// run is too short if the bound for others is above it.
constexpr double least_busy_process = 0.5;
/// /proc/stat counts in ticks of this length, by looking once in each at what a core does.
constexpr double tick_s = 0.01;
/// The error of a difference of two readings, whose parts are cut to whole ticks.
constexpr double reading_error_s = 4 * tick_s;

struct Machine {
    std::vector<const NodeSummary*> nodes;  ///< by rank
    const Contention* longest = nullptr;    ///< of the node that measured for the longest time
};

/// The nodes of each machine. Empty if a node told nothing.
std::vector<Machine> machines_of(const RunResults& results) {
    std::map<std::string, Machine> by_name;
    for (const auto& node : results.summaries) {
        if (!node.contention) return {};
        const auto& seen = *node.contention;
        auto& machine = by_name[seen.boot_id.empty() ? seen.machine : seen.boot_id];
        machine.nodes.push_back(&node);
        if (machine.longest == nullptr || machine.longest->elapsed_s < seen.elapsed_s)
            machine.longest = &seen;
    }
    std::vector<Machine> machines;
    for (auto& [name, machine] : by_name) machines.push_back(std::move(machine));
    return machines;
}

/// Processor time that others used while the nodes ran.
std::optional<double> others_s(const Machine& machine) {
    if (!machine.longest->machine_busy_s) return std::nullopt;
    double own = 0.0;
    double starter = 0.0;  // the nodes have the same one
    for (const auto* node : machine.nodes) {
        own += node->contention->cpu_s;
        starter = std::max(starter, node->contention->starter_cpu_s.value_or(0.0));
    }
    return std::max(0.0, *machine.longest->machine_busy_s - own - starter);
}

/// The error that counting in ticks may have. A core that is busy for a part p of the time, in short pieces,
/// is found busy in a random number of n ticks, with a variance of n p (1 - p): not more than the ticks that
/// are busy, nor than a quarter of all. Three standard deviations.
double counting_error_s(const Contention& seen) {
    const auto busy_ticks = *seen.machine_busy_s / tick_s;
    const auto all_ticks = seen.elapsed_s * static_cast<double>(seen.cores) / tick_s;
    return 3.0 * tick_s * std::sqrt(std::min(busy_ticks, all_ticks / 4.0)) + reading_error_s;
}

double most_others_s(const Contention& seen) {
    const auto cores = std::min(most_others_share * static_cast<double>(seen.cores), most_others_cores);
    return std::max(cores * seen.elapsed_s, counting_error_s(seen));
}

double most_steal_s(const Contention& seen) {
    return std::max(most_steal_share * static_cast<double>(seen.cores) * seen.elapsed_s, reading_error_s);
}

/// The nodes that ran together at the end; a run that was continued with fewer nodes has more.
std::vector<const NodeSummary*> last_nodes(const Machine& machine) {
    std::int64_t last_step = 0;
    for (const auto* node : machine.nodes) last_step = std::max(last_step, node->steps);
    std::vector<const NodeSummary*> nodes;
    for (const auto* node : machine.nodes)
        if (node->steps == last_step) nodes.push_back(node);
    return nodes;
}

/// Whether these nodes of a machine have more threads than cores.
std::optional<Finding> lack_of_cores(std::span<const NodeSummary* const> nodes) {
    std::vector<NodeThreads> threads;
    std::vector<const Contention*> seen;
    for (const auto* node : nodes) {
        seen.push_back(&*node->contention);
        threads.push_back({.rank = node->node,
                           .threads = node->threads,
                           .host = seen.back()->host,
                           .host_cpu = seen.back()->host_cpu});
    }
    const auto cores = usable_together(seen);
    auto found = shared_cores(threads, cores);
    const auto all_cores = seen.front()->cores;
    if (found && cores < all_cores)
        found->remedy +=
            fmt::format(", or let the nodes use more of the {} cores (mpirun: --bind-to none)", all_cores);
    return found;
}

/// Whether the nodes that ran together at the end have more threads than cores: all of them, or a node with
/// those whose cores are all among its own. Nodes whose cores overlap in part are not judged apart.
std::optional<Finding> lack_of_cores(const Machine& machine) {
    const auto nodes = last_nodes(machine);
    auto found = lack_of_cores(nodes);
    for (std::size_t i = 0; !found && i < nodes.size(); ++i) {
        const auto& cores = nodes[i]->contention->core_list;
        std::vector<const NodeSummary*> within{nodes[i]};
        for (const auto* other : nodes) {
            const auto& theirs = other->contention->core_list;
            if (other != nodes[i] && cores && theirs && cores->contains(*theirs)) within.push_back(other);
        }
        std::ranges::sort(within, {}, &NodeSummary::node);
        found = lack_of_cores(within);
    }
    return found;
}

double mean_cores(double used_s, const Contention& seen) {
    return seen.elapsed_s > 0.0 ? used_s / seen.elapsed_s : 0.0;
}

double waited_pct(const Contention& seen) {
    return seen.elapsed_s > 0.0 ? 100.0 * seen.waited_s.value_or(0.0) / seen.elapsed_s : 0.0;
}

void add(Verdict verdict, Finding finding, const std::string& where, Measurement& all) {
    all.verdict = std::max(all.verdict, verdict);
    finding.cause += where;
    all.causes.push_back(std::move(finding));
}

/// Adds what others did on one machine.
void judge_others(const Machine& machine, const std::string& where, Measurement& all) {
    const auto& seen = *machine.longest;
    if (const auto others = others_s(machine)) {
        const auto cores = mean_cores(*others, seen);
        all.others_cores = std::max(all.others_cores.value_or(0.0), cores);
        if (*others > most_others_s(seen)) {
            add(Verdict::noisy,
                {.cause = fmt::format("other processes used {:.2f} of {} cores", cores, seen.cores),
                 .remedy = "end them, or run again when the machine is idle"},
                where, all);
        } else if (most_others_s(seen) > least_busy_process * seen.elapsed_s) {
            add(Verdict::noisy,
                {.cause = fmt::format("{:.2f} s are too short to see whether others used the machine",
                                      seen.elapsed_s),
                 .remedy = "train for more steps"},
                where, all);
        }
    }
    if (seen.steal_s && seen.elapsed_s > 0.0) {
        const auto pct = 100.0 * mean_cores(*seen.steal_s, seen) / static_cast<double>(seen.cores);
        all.steal_pct = std::max(all.steal_pct.value_or(0.0), pct);
        if (*seen.steal_s > most_steal_s(seen)) {
            add(Verdict::noisy,
                {.cause = fmt::format("the hypervisor gave {:.1f}% of the cores to other guests", pct),
                 .remedy = "run again later, or on a machine that is no guest"},
                where, all);
        }
    }
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
    switch (verdict) {
        case Verdict::quiet: return "quiet";
        case Verdict::noisy: return "noisy";
        case Verdict::invalid: return "invalid";
    }
    throw InternalError("a verdict without a name");
}

std::optional<Measurement> measurement_of(const RunResults& results) {
    const auto machines = machines_of(results);
    if (machines.empty()) return std::nullopt;
    const auto place = [&](const Machine& machine) {
        return machines.size() > 1 ? fmt::format(", on {}", machine.longest->machine) : "";
    };
    Measurement all;
    for (const auto& machine : machines)
        if (auto lack = lack_of_cores(machine)) add(Verdict::invalid, std::move(*lack), place(machine), all);
    for (const auto& machine : machines) judge_others(machine, place(machine), all);
    for (const auto& node : results.summaries)
        if (node.contention->waited_s)
            all.waited_pct = std::max(all.waited_pct.value_or(0.0), waited_pct(*node.contention));
    return all;
}

std::string slow_core_text(const RunResults& results, Verdict verdict) {
    if (verdict == Verdict::invalid) return "";
    const auto cores = undisturbed_steps(results.steps, results.nodes);
    if (!cores || cores->slow_pct <= most_slow_core_pct) return "";
    return fmt::format(
        "before {:.0f}% of the steps a core was slow, as if its other hardware thread was busy; {}",
        cores->slow_pct,
        cores->p10_us
            ? fmt::format("an undisturbed step took {} (step_us.undisturbed)", time_text(*cores->p10_us))
            : "too few steps were undisturbed to tell the time of one: train for more steps, or run again "
              "later");
}

std::string measurement_lines(const RunResults& results) {
    const auto found = measurement_of(results);
    if (!found) return fmt::format("measurement: no verdict: {}\n", no_verdict_reason);
    const auto verdict = verdict_name(found->verdict);
    std::string lines;
    for (const auto& [cause, remedy] : found->causes)
        lines += fmt::format("measurement: {}: {}; {}\n", lines.empty() ? verdict : "also", cause, remedy);
    if (lines.empty()) lines = fmt::format("measurement: {}\n", verdict);
    if (const auto slow = slow_core_text(results, found->verdict); !slow.empty())
        lines += fmt::format("measurement: note: {}\n", slow);
    return lines;
}

nlohmann::json measurement_json(const RunResults& results) {
    const auto found = measurement_of(results);
    if (!found) return nullptr;
    const auto figure = [](const std::optional<double>& value) {
        return value ? nlohmann::json(*value) : nlohmann::json();
    };
    auto causes = nlohmann::json::array();
    for (const auto& [cause, remedy] : found->causes)
        causes.push_back({{"cause", cause}, {"remedy", remedy}});
    nlohmann::json retransmits;
    constexpr std::int64_t most = std::int64_t{1} << 40U;  // what a damaged summary says must not overflow
    for (const auto& node : results.summaries)
        if (node.contention && node.contention->retransmits)
            retransmits = (retransmits.is_null() ? 0 : retransmits.get<std::int64_t>()) +
                          std::min(*node.contention->retransmits, most);
    const auto cores = undisturbed_steps(results.steps, results.nodes);
    return {{"verdict", verdict_name(found->verdict)},
            {"causes", std::move(causes)},
            {"others_cores", figure(found->others_cores)},
            {"steal_pct", figure(found->steal_pct)},
            {"waited_pct", figure(found->waited_pct)},
            {"retransmits", std::move(retransmits)},
            {"slow_core_pct", cores ? nlohmann::json(cores->slow_pct) : nlohmann::json()},
            {"core_look_us", cores ? nlohmann::json(cores->quick_look_us) : nlohmann::json()},
            {"undisturbed_pct", cores ? nlohmann::json(cores->share_pct) : nlohmann::json()}};
}

Table measurement_table(const RunResults& results) {
    using namespace columns;
    Table table{"measurement", "Who else used the machines", {}, {}};
    table.columns = {count("node"),
                     words("machine"),
                     detail(count("threads"), 3),
                     detail(count("usable_cores"), 2),
                     seconds("elapsed"),
                     seconds("cpu"),
                     seconds("waited"),
                     detail(count("involuntary_switches"), 5),
                     seconds("machine_busy"),
                     detail(seconds("steal")),
                     {.name = "load_at_start", .unit = "", .left = false, .shown = {"", 1.0, 2}, .detail = 4},
                     {.name = "start", .unit = "mhz", .left = false, .shown = {"MHz", 1.0, 0}, .detail = 6},
                     {.name = "end", .unit = "mhz", .left = false, .shown = {"MHz", 1.0, 0}, .detail = 6},
                     detail(count("retransmits"), 5)};
    const auto cell = [](const std::optional<double>& value) { return value ? Cell(*value) : Cell(); };
    for (const auto& node : results.summaries) {
        std::vector<Cell> row{node.node, Cell(), static_cast<std::int64_t>(node.threads)};
        if (const auto& seen = node.contention) {
            row[1] = seen->machine;
            row.insert(row.end(),
                       {Cell(seen->usable_cores), Cell(seen->elapsed_s), Cell(seen->cpu_s),
                        cell(seen->waited_s), Cell(seen->involuntary_switches), cell(seen->machine_busy_s),
                        cell(seen->steal_s), cell(seen->load_at_start), cell(seen->start_mhz),
                        cell(seen->end_mhz), seen->retransmits ? Cell(*seen->retransmits) : Cell()});
        }
        row.resize(table.columns.size());
        table.rows.push_back(std::move(row));
    }
    return table;
}

}  // namespace convoy
