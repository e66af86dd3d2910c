#include "report/tables.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "report/figures.hpp"
#include "report/records_csv.hpp"

namespace convoy {

namespace {

Column words(std::string name) {
    return {.name = std::move(name), .unit = "", .left = true, .shown = {}};
}
Column count(std::string name) {
    return {.name = std::move(name), .unit = "", .left = false, .shown = {}};
}
Column microseconds(std::string name) {
    return {.name = std::move(name), .unit = "us", .left = false, .shown = {}};
}
Column long_microseconds(std::string name) {
    return {.name = std::move(name), .unit = "us", .left = false, .shown = {"ms", 1e3, 1}};
}
Column seconds(std::string name) {
    return {.name = std::move(name), .unit = "s", .left = false, .shown = {"s", 1.0, 2}};
}
Column percent(std::string name) {
    return {.name = std::move(name), .unit = "pct", .left = false, .shown = {}};
}
Column bytes(std::string name) {
    return {.name = std::move(name), .unit = "bytes", .left = false, .shown = {"MB", 1e6, 1}};
}
Column score(std::string name) {
    return {.name = std::move(name), .unit = "", .left = false, .shown = {"", 1.0, 4}};
}

Cell figure(const std::optional<double>& value) {
    return value ? Cell(*value) : Cell();
}
Cell integer(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}
Cell share_pct(double part, double whole) {
    return whole > 0.0 ? Cell(100.0 * part / whole) : Cell();
}

/// One operator over all nodes and epochs.
struct OperatorSum {
    RunPhase phase{};
    std::string operator_name, name;
    std::optional<std::string> folded_into;
    std::int64_t calls = 0;
    double total_us = 0.0, weighted_p50 = 0.0, weighted_p99 = 0.0;
    std::optional<CommunicationTimes> communication;

    void add(const OperatorRecord& row) {
        calls += row.calls;
        total_us += row.total_us;
        weighted_p50 += row.p50_us * static_cast<double>(row.calls);
        weighted_p99 += row.p99_us * static_cast<double>(row.calls);
        if (!row.communication) return;
        if (!communication) communication.emplace();
        communication->in_flight_us += row.communication->in_flight_us;
        communication->hidden_us += row.communication->hidden_us;
        communication->exposed_us += row.communication->exposed_us;
        communication->skew_us += row.communication->skew_us;
    }
    [[nodiscard]] double per_call(double sum) const {
        return calls > 0 ? sum / static_cast<double>(calls) : 0.0;
    }
};

std::vector<OperatorSum> operator_sums(const std::vector<OperatorRecord>& operators) {
    using Key = std::tuple<RunPhase, std::string, std::string, std::string>;
    std::map<Key, std::size_t> positions;
    std::vector<OperatorSum> sums;
    for (const auto& row : operators) {
        const Key key(row.phase, row.operator_name, row.name, row.folded_into.value_or(""));
        const auto [found, added] = positions.try_emplace(key, sums.size());
        if (added) {
            sums.push_back({.phase = row.phase,
                            .operator_name = row.operator_name,
                            .name = row.name,
                            .folded_into = row.folded_into,
                            .communication = {}});
        }
        sums[found->second].add(row);
    }
    return sums;
}

/// Training before evaluation, the longest first, folded rows behind the kernel that they are in.
std::vector<OperatorSum> in_table_order(const std::vector<OperatorSum>& sums) {
    std::vector<OperatorSum> kernels;
    std::copy_if(sums.begin(), sums.end(), std::back_inserter(kernels),
                 [](const auto& sum) { return !sum.folded_into; });
    std::stable_sort(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) {
        return std::tuple(a.phase, -a.total_us) < std::tuple(b.phase, -b.total_us);
    });
    std::vector<OperatorSum> ordered;
    for (const auto& kernel : kernels) {
        ordered.push_back(kernel);
        std::copy_if(sums.begin(), sums.end(), std::back_inserter(ordered), [&kernel](const auto& sum) {
            return sum.folded_into == kernel.operator_name && sum.name == kernel.name &&
                   sum.phase == kernel.phase;
        });
    }
    return ordered;
}

/// What a phase's shares are of: the steps' time where there are steps, else its operators' time.
std::map<RunPhase, double> phase_totals(const RunResults& results) {
    std::map<RunPhase, double> totals;
    for (const auto& row : results.operators) totals[row.phase] += row.total_us;
    double steps_us = 0.0;
    for (const auto& step : results.steps) steps_us += step.step_us;
    if (steps_us > 0.0) totals[RunPhase::train] = steps_us;
    return totals;
}

/// Position of `total` in the operator table.
constexpr std::size_t total_column = 4;

std::vector<Cell> operator_row(const OperatorSum& sum, double phase_total) {
    std::vector<Cell> row{std::string(phase_name(sum.phase)), sum.operator_name, sum.name};
    if (sum.folded_into) {
        const auto inside = "in " + *sum.folded_into;
        row.insert(row.end(), 10, Note{inside, false});
        row[total_column] = Note{inside, true};
        row.emplace_back(*sum.folded_into);
        return row;
    }
    row.insert(row.end(),
               {sum.calls, sum.total_us, sum.per_call(sum.total_us), sum.per_call(sum.weighted_p50),
                sum.per_call(sum.weighted_p99), share_pct(sum.total_us, phase_total)});
    if (const auto& times = sum.communication) {
        row.insert(row.end(), {times->in_flight_us, times->hidden_us, times->exposed_us, times->skew_us});
    } else {
        row.insert(row.end(), 4, Note{"no collective", false});
    }
    row.emplace_back(Note{"runs by itself", false});
    return row;
}

struct MeanAndMax {
    double sum = 0.0, max = 0.0;
    std::int64_t values = 0;
    void add(double value) {
        sum += value;
        max = std::max(max, value);
        ++values;
    }
    [[nodiscard]] Cell mean() const { return values > 0 ? Cell(sum / static_cast<double>(values)) : Cell(); }
    [[nodiscard]] Cell most() const { return values > 0 ? Cell(max) : Cell(); }
};

struct NodeSamples {
    MeanAndMax user, system, iowait, resident;
};

NodeSamples samples_of(const RunResults& results, std::int64_t node) {
    NodeSamples all;
    for (const auto& sample : results.system) {
        if (sample.node != node) continue;
        all.user.add(sample.cpu_user_pct);
        all.system.add(sample.cpu_system_pct);
        all.iowait.add(sample.cpu_iowait_pct);
        all.resident.add(static_cast<double>(sample.resident_bytes));
    }
    return all;
}

}  // namespace

Table operators_table(const RunResults& results) {
    Table table{"operators", "Time per operator", {}, {}};
    table.columns = {words("phase"),
                     words("operator"),
                     words("name"),
                     count("calls"),
                     long_microseconds("total"),
                     microseconds("mean"),
                     microseconds("p50"),
                     microseconds("p99"),
                     percent("share"),
                     long_microseconds("in_flight"),
                     long_microseconds("hidden"),
                     long_microseconds("exposed"),
                     long_microseconds("skew"),
                     words("folded_into")};
    table.columns[8].bar = true;
    table.columns.back().scripts_only = true;
    const auto totals = phase_totals(results);
    for (const auto& sum : in_table_order(operator_sums(results.operators))) {
        table.rows.push_back(operator_row(sum, totals.at(sum.phase)));
    }
    return table;
}

Table phases_table(const RunResults& results) {
    Table table{"phases", "Time per phase", {}, {}};
    table.columns = {count("node"),    seconds("read"),     seconds("preprocess"),
                     seconds("train"), seconds("evaluate"), seconds("total")};
    for (const auto& node : results.summaries) {
        table.rows.push_back(
            {node.node, node.read_s, node.preprocess_s, node.train_s, node.evaluate_s, node.total_s});
    }
    return table;
}

Table epochs_table(const RunResults& results) {
    Table table{"epochs", "Loss and accuracy per epoch", {}, {}};
    table.columns = {count("epoch"),
                     score("train_loss"),
                     score("train_accuracy"),
                     score("validation_loss"),
                     score("validation_accuracy"),
                     score("test_loss"),
                     score("test_accuracy"),
                     seconds("train"),
                     seconds("evaluate")};
    for (const auto& epoch : results.epochs) {
        table.rows.push_back({epoch.epoch, figure(epoch.train_loss), figure(epoch.train_accuracy),
                              figure(epoch.validation_loss), figure(epoch.validation_accuracy),
                              figure(epoch.test_loss), figure(epoch.test_accuracy), epoch.train_s,
                              epoch.evaluate_s});
    }
    return table;
}

Table system_table(const RunResults& results) {
    Table table{"system", "Processor, memory and traffic per node", {}, {}};
    table.columns = {count("node"),
                     count("threads"),
                     percent("cpu_user_mean"),
                     percent("cpu_user_max"),
                     percent("cpu_system_mean"),
                     percent("cpu_system_max"),
                     percent("cpu_iowait_mean"),
                     percent("cpu_iowait_max"),
                     bytes("resident_mean"),
                     bytes("peak_resident"),
                     bytes("sent"),
                     bytes("received")};
    for (const auto& node : results.summaries) {
        const auto samples = samples_of(results, node.node);
        table.rows.push_back({node.node, static_cast<std::int64_t>(node.threads), samples.user.mean(),
                              samples.user.most(), samples.system.mean(), samples.system.most(),
                              samples.iowait.mean(), samples.iowait.most(), samples.resident.mean(),
                              integer(node.peak_resident_bytes), integer(node.sent_bytes),
                              integer(node.received_bytes)});
    }
    return table;
}

Table network_table(const RunResults& results) {
    Table table{"network", "Communication per node", {}, {}};
    table.columns = {count("node"),
                     bytes("sent"),
                     bytes("received"),
                     bytes("sent_per_step"),
                     long_microseconds("in_flight"),
                     long_microseconds("hidden"),
                     long_microseconds("exposed"),
                     long_microseconds("skew"),
                     percent("hidden_share"),
                     microseconds("exposed_per_step")};
    for (const auto& node : results.summaries) {
        const auto times = communication_of(results.operators, node.node);
        const auto per_step = [&node](double sum) {
            return node.steps > 0 ? Cell(sum / static_cast<double>(node.steps)) : Cell();
        };
        table.rows.push_back({node.node, integer(node.sent_bytes), integer(node.received_bytes),
                              per_step(static_cast<double>(node.sent_bytes)), times.in_flight_us,
                              times.hidden_us, times.exposed_us, times.skew_us,
                              share_pct(times.hidden_us, times.in_flight_us), per_step(times.exposed_us)});
    }
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

Table final_table(const RunResults& results) {
    Table table{"final", "Result of " + results.name, {}, {}};
    table.columns = {words("status"),
                     count("nodes"),
                     count("batch_size"),
                     count("epochs"),
                     count("steps"),
                     score("train_loss"),
                     score("train_accuracy"),
                     score("test_loss"),
                     score("test_accuracy"),
                     {.name = "step_p50", .unit = "us", .left = false, .shown = {"ms", 1e3, 2}},
                     {.name = "examples_per_second", .unit = "", .left = false, .shown = {}},
                     seconds("total")};
    const auto last = results.epochs.empty() ? EpochRecord{} : results.epochs.back();
    const auto speed = step_figures(results.steps);
    std::int64_t steps = 0;
    for (const auto& node : results.summaries) steps = std::max(steps, node.steps);
    table.rows.push_back(
        {results.status, results.nodes, results.batch_size, static_cast<std::int64_t>(results.epochs.size()),
         steps, figure(last.train_loss), figure(last.train_accuracy), figure(last.test_loss),
         figure(last.test_accuracy), speed ? Cell(speed->step_us.p50) : Cell(),
         speed ? Cell(speed->examples_per_second_mean) : Cell(), phase_times(results.summaries).total_s});
    return table;
}

std::span<const NamedTable> named_tables() {
    static constexpr std::array<NamedTable, 6> all{{{"operators", operators_table},
                                                    {"phases", phases_table},
                                                    {"epochs", epochs_table},
                                                    {"system", system_table},
                                                    {"network", network_table},
                                                    {"memory", memory_table}}};
    return all;
}

}  // namespace convoy
