#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "report/columns.hpp"
#include "report/tables.hpp"

namespace convoy {

namespace {

using namespace columns;

struct MeanAndMax {
    double sum = 0.0, max = 0.0;
    std::int64_t values = 0;
    void add(double value) {
        sum += value;
        max = std::max(max, value);
        ++values;
    }
    [[nodiscard]] double mean_value() const { return sum / static_cast<double>(values); }
    [[nodiscard]] Cell mean() const { return values > 0 ? Cell(mean_value()) : Cell(); }
    [[nodiscard]] Cell most() const { return values > 0 ? Cell(max) : Cell(); }
};

struct NodeSamples {
    MeanAndMax user, system, iowait, idle, resident, machine_used;
};

NodeSamples samples_of(const RunResults& results, std::int64_t node) {
    NodeSamples all;
    for (const auto& sample : results.system) {
        if (sample.node != node) continue;
        all.user.add(sample.cpu_user_pct);
        all.system.add(sample.cpu_system_pct);
        all.iowait.add(sample.cpu_iowait_pct);
        if (sample.cpu_idle_pct) all.idle.add(*sample.cpu_idle_pct);
        all.resident.add(static_cast<double>(sample.resident_bytes));
        if (sample.machine_used_bytes) all.machine_used.add(static_cast<double>(*sample.machine_used_bytes));
    }
    return all;
}

/// Nodes that share cores: those of an emulated host with a limit, else those of a machine.
using CoreShare = std::pair<std::string, std::optional<std::int64_t>>;

CoreShare core_share(const Contention& seen) {
    return {seen.boot_id.empty() ? seen.machine : seen.boot_id, seen.host_cpu ? seen.host : std::nullopt};
}

/// The part of the processor time that some nodes may use, from their first step to their end, that they
/// used, in per cent. Nodes that share cores have equal parts of them.
Cell cpu_share(std::span<const NodeSummary> all, std::span<const NodeSummary> nodes) {
    double used_s = 0.0, allowed_s = 0.0;
    for (const auto& node : nodes) {
        if (!node.contention) return {};
        const auto& seen = *node.contention;
        std::vector<const Contention*> sharing;
        for (const auto& other : all)
            if (other.contention && core_share(*other.contention) == core_share(seen))
                sharing.push_back(&*other.contention);
        const auto cores = seen.host_cpu.value_or(static_cast<double>(usable_together(sharing)));
        used_s += seen.cpu_s;
        allowed_s += seen.elapsed_s * cores / static_cast<double>(sharing.size());
    }
    return share_pct(used_s, allowed_s);
}

/// The memory of the machines of some nodes that was in use at most: their sum, or their mean.
Cell machine_used(const RunResults& results, std::span<const NodeSummary> nodes, bool as_mean) {
    std::map<std::string, double> by_machine;
    for (const auto& node : nodes) {
        const auto used = samples_of(results, node.node).machine_used;
        if (!node.contention || used.values == 0) return {};  // it is not known whether others are there
        auto& most = by_machine[core_share(*node.contention).first];
        most = std::max(most, used.max);
    }
    double sum = 0.0;
    for (const auto& [machine, most] : by_machine) sum += most;
    return as_mean ? sum / static_cast<double>(by_machine.size()) : sum;
}

/// Of some nodes: means of what they sampled, and sums of what they used.
std::vector<Cell> utilisation_of(const RunResults& results, std::string place,
                                 std::span<const NodeSummary> nodes) {
    MeanAndMax user, system, iowait, idle;
    double resident = 0.0;
    std::uint64_t peak = 0;
    std::optional<std::uint64_t> sent = 0;
    std::optional<std::uint64_t> received = 0;
    for (const auto& node : nodes) {
        const auto samples = samples_of(results, node.node);
        // Node by node: one that took more samples than another weighs no more.
        if (samples.user.values > 0) {
            user.add(samples.user.mean_value());
            system.add(samples.system.mean_value());
            iowait.add(samples.iowait.mean_value());
            if (samples.idle.values > 0) idle.add(samples.idle.mean_value());
            resident += samples.resident.mean_value();
        }
        peak += node.peak_resident_bytes;
        sent = sent && node.sent_bytes ? std::optional(*sent + *node.sent_bytes) : std::nullopt;
        received =
            received && node.received_bytes ? std::optional(*received + *node.received_bytes) : std::nullopt;
    }
    return {std::move(place),
            static_cast<std::int64_t>(nodes.size()),
            user.mean(),
            system.mean(),
            iowait.mean(),
            idle.mean(),
            user.values > 0 ? Cell(resident) : Cell(),
            integer(peak),
            integer(sent),
            integer(received),
            cpu_share(results.summaries, nodes)};
}

/// A row of utilisation_of as the mean of its nodes.
std::vector<Cell> mean_of_nodes(std::vector<Cell> row, std::size_t nodes) {
    constexpr std::size_t first_sum = 6, last_sum = 9;
    for (auto column = first_sum; column <= last_sum; ++column) {
        if (const auto* sum = std::get_if<double>(&row[column])) {
            row[column] = *sum / static_cast<double>(nodes);
        } else if (const auto* whole = std::get_if<std::int64_t>(&row[column])) {
            row[column] = *whole / static_cast<std::int64_t>(nodes);
        }
    }
    return row;
}

}  // namespace

Table system_table(const RunResults& results) {
    Table table{"system", "Processor, memory and traffic per node", {}, {}};
    table.columns = {count("node"),
                     detail(count("threads"), 4),
                     percent("cpu_user_mean"),
                     detail(percent("cpu_user_max"), 6),
                     detail(percent("cpu_system_mean"), 2),
                     detail(percent("cpu_system_max"), 6),
                     detail(percent("cpu_iowait_mean"), 3),
                     detail(percent("cpu_iowait_max"), 6),
                     detail(percent("cpu_idle_mean")),
                     detail(bytes("resident_mean"), 5),
                     bytes("peak_resident"),
                     bytes("sent"),
                     bytes("received"),
                     detail(bytes("machine_used_max"), 5)};
    for (const auto& node : results.summaries) {
        const auto samples = samples_of(results, node.node);
        table.rows.push_back(
            {node.node, static_cast<std::int64_t>(node.threads), samples.user.mean(), samples.user.most(),
             samples.system.mean(), samples.system.most(), samples.iowait.mean(), samples.iowait.most(),
             samples.idle.mean(), samples.resident.mean(), integer(node.peak_resident_bytes),
             integer(node.sent_bytes), integer(node.received_bytes), samples.machine_used.most()});
    }
    return table;
}

Table utilisation_table(const RunResults& results) {
    Table table{"utilisation", "Processor, memory and traffic of master, slave and cluster", {}, {}};
    table.columns = {words("place"),
                     detail(count("nodes")),
                     percent("cpu_user"),
                     detail(percent("cpu_system"), 3),
                     detail(percent("cpu_iowait"), 4),
                     detail(percent("cpu_idle"), 2),
                     detail(bytes("resident_mean"), 5),
                     bytes("peak_resident"),
                     bytes("sent"),
                     bytes("received"),
                     detail(percent("cpu_share"), 1),
                     detail(bytes("machine_used_max"), 5)};
    const std::span nodes(results.summaries);
    if (nodes.empty()) return table;
    const auto add = [&](std::vector<Cell> row, std::span<const NodeSummary> of, bool as_mean) {
        row.push_back(machine_used(results, of, as_mean));
        table.rows.push_back(std::move(row));
    };
    add(utilisation_of(results, "master", nodes.first(1)), nodes.first(1), false);
    if (const auto others = nodes.subspan(1); !others.empty())
        add(mean_of_nodes(utilisation_of(results, "slave", others), others.size()), others, true);
    add(utilisation_of(results, "cluster", nodes), nodes, false);
    return table;
}

Table memory_table(const RunResults& results) {
    Table table{"memory", "Resident memory per node", {}, {}};
    table.columns = {count("node"), bytes("resident_mean"), bytes("resident_max"), bytes("peak_resident")};
    for (const auto& node : results.summaries) {
        const auto samples = samples_of(results, node.node);
        table.rows.push_back(
            {node.node, samples.resident.mean(), samples.resident.most(), integer(node.peak_resident_bytes)});
    }
    return table;
}

}  // namespace convoy
