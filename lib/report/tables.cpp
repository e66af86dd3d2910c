#include "report/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/similar_name.hpp"
#include "report/columns.hpp"
#include "report/failures.hpp"
#include "report/figures.hpp"
#include "report/label_histogram.hpp"
#include "report/measurement.hpp"
#include "report/parts_table.hpp"
#include "report/update_tables.hpp"

namespace convoy {

namespace {

using namespace columns;

Cell figure_cell(const std::optional<double>& value) {
    return value ? Cell(*value) : Cell();
}

std::vector<std::string_view> names_of_tables() {
    std::vector<std::string_view> names;
    for (const auto& table : named_tables()) names.push_back(table.name);
    return names;
}

}  // namespace

Table phases_table(const RunResults& results) {
    Table table{"phases", "Time per phase", {}, {}};
    table.columns = {count("node"), seconds("read"), detail(seconds("preprocess")), seconds("train"),
                     seconds("evaluate")};
    table.columns.push_back(seconds("checkpoint"));
    // Most runs keep none, and need no column of zeros.
    table.columns.back().scripts_only = phase_times(results.summaries, results.nodes).checkpoint_s == 0.0;
    table.columns.push_back(seconds("total"));
    table.columns.push_back(seconds("fetch"));
    table.columns.back().scripts_only = phase_times(results.summaries, results.nodes).fetch_s == 0.0;
    for (const auto& node : results.summaries) {
        table.rows.push_back({node.node, node.read_s, node.preprocess_s, node.train_s, node.evaluate_s,
                              node.checkpoint_s, node.total_s, node.fetch_s});
    }
    return table;
}

Table input_pipeline_table(const RunResults& results) {
    Table table{"input_pipeline", "Time per stage of the input pipeline", {}, {}};
    table.columns = {count("node"),
                     seconds_in_ms("read"),
                     detail(seconds_in_ms("interleave"), 2),
                     seconds_in_ms("prepare"),
                     seconds_in_ms("shuffle"),
                     seconds_in_ms("batch"),
                     detail(seconds_in_ms("map")),
                     detail(seconds_in_ms("augment")),
                     seconds_in_ms("wait")};
    for (const auto& node : results.summaries) {
        table.rows.push_back({node.node, node.read_s, node.input.interleave_s, node.input.prepare_s,
                              node.input.shuffle_s, node.input.batch_s, node.input.map_s,
                              node.input.augment_s, 1e-6 * data_wait_us(results, node.node)});
    }
    return table;
}

Table epochs_table(const RunResults& results) {
    Table table{"epochs", "Loss and accuracy per epoch", {}, {}};
    table.columns = {count("epoch"),
                     score("train_loss"),
                     detail(score("train_accuracy"), 3),
                     detail(score("validation_loss"), 2),
                     score("validation_accuracy"),
                     score("test_loss"),
                     score("test_accuracy"),
                     detail(seconds("train")),
                     detail(seconds("evaluate"), 4)};
    for (const auto& epoch : results.epochs) {
        table.rows.push_back({epoch.epoch, figure_cell(epoch.train_loss), figure_cell(epoch.train_accuracy),
                              figure_cell(epoch.validation_loss), figure_cell(epoch.validation_accuracy),
                              figure_cell(epoch.test_loss), figure_cell(epoch.test_accuracy), epoch.train_s,
                              epoch.evaluate_s});
    }
    return table;
}

namespace {

/// The part of a node's training steps in which it stood still for exchanges or messages. The totals of its
/// operators add up to its steps.
Cell exposed_share(const RunResults& results, std::int64_t node) {
    double exposed = 0.0, steps = 0.0;
    for (const auto& row : results.operators) {
        if (row.node != node || row.phase != RunPhase::train || row.folded_into) continue;
        steps += row.total_us;
        if (row.communication) exposed += row.communication->exposed_us;
        if (row.operator_name == message_wait_operator) exposed += row.total_us;
    }
    return share_pct(exposed, steps);
}

}  // namespace

Table network_table(const RunResults& results) {
    Table table{"network", "Communication per node", {}, {}};
    table.columns = {count("node"),
                     bytes("sent"),
                     bytes("received"),
                     detail(bytes("sent_per_step"), 5),
                     detail(long_microseconds("in_flight"), 2),
                     long_microseconds("hidden"),
                     long_microseconds("exposed"),
                     long_microseconds("skew"),
                     detail(long_microseconds("exposed_skew"), 3),
                     percent("hidden_share"),
                     detail(microseconds("exposed_per_step"), 4),
                     detail(percent("exposed_share"), 6)};
    // People read hidden time as a share of hidden and exposed time, in the headline of the page.
    std::ranges::find(table.columns, "hidden_share", &Column::name)->scripts_only = true;
    for (const auto& node : results.summaries) {
        const auto times = communication_of(results.operators, node.node);
        const auto per_step = [&node](double sum) {
            return node.steps > 0 ? Cell(sum / static_cast<double>(node.steps)) : Cell();
        };
        table.rows.push_back({node.node, integer(node.sent_bytes), integer(node.received_bytes),
                              node.sent_bytes ? per_step(static_cast<double>(*node.sent_bytes)) : Cell(),
                              times.in_flight_us, times.hidden_us, times.exposed_us, times.skew_us,
                              times.exposed_skew_us, share_pct(times.hidden_us, times.in_flight_us),
                              per_step(times.exposed_us), exposed_share(results, node.node)});
    }
    return table;
}

Table final_table(const RunResults& results) {
    const auto where = results.cluster ? " on " + results.cluster->text() : "";
    Table table{"final", "Result of " + results.name + where, {}, {}};
    table.columns = {detail(words("status")),
                     detail(count("nodes"), 9),
                     detail(count("batch_size"), 7),
                     detail(count("epochs"), 4),
                     detail(count("steps"), 6),
                     detail(score("train_loss"), 8),
                     detail(score("train_accuracy"), 9),
                     detail(score("test_loss"), 3),
                     score("test_accuracy"),
                     {.name = "step_p50", .unit = "us", .left = false, .shown = {"ms", 1e3, 2}},
                     {.name = "examples_per_second", .unit = "", .left = false, .shown = {}},
                     detail(seconds("total"), 2),
                     seconds("time_to_accuracy")};
    table.columns.back().scripts_only = !results.target;  // most runs have none, and need no empty column
    table.columns.push_back(detail(words("measurement"), 5));
    const auto last = results.epochs.empty() ? EpochRecord{} : results.epochs.back();
    const auto speed = step_figures(results.steps, results.nodes);
    const auto reached = results.target ? time_to_accuracy(results.epochs, *results.target) : std::nullopt;
    const auto measurement = measurement_of(results);
    std::int64_t steps = 0;
    for (const auto& node : results.summaries) steps = std::max(steps, node.steps);
    table.rows.push_back(
        {std::string(run_status_name(results.status)), results.nodes, results.batch_size,
         static_cast<std::int64_t>(results.epochs.size()), steps, figure_cell(last.train_loss),
         figure_cell(last.train_accuracy), figure_cell(last.test_loss), figure_cell(last.test_accuracy),
         speed ? Cell(speed->step_us.p50) : Cell(), speed ? Cell(speed->examples_per_second_mean) : Cell(),
         phase_times(results.summaries, results.nodes).total_s, reached ? Cell(reached->seconds) : Cell(),
         measurement ? Cell(std::string(verdict_name(measurement->verdict))) : Cell()});
    return table;
}

std::span<const NamedTable> named_tables() {
    static constexpr std::array<NamedTable, 16> all{{{"operators", operators_table},
                                                     {"operator_totals", operator_totals_table},
                                                     {"phases", phases_table},
                                                     {"input_pipeline", input_pipeline_table},
                                                     {"epochs", epochs_table},
                                                     {"system", system_table},
                                                     {"utilisation", utilisation_table},
                                                     {"network", network_table},
                                                     {"memory", memory_table},
                                                     {"final", final_table},
                                                     {"measurement", measurement_table},
                                                     {"label_histogram", label_histogram_table},
                                                     {"parts", parts_table},
                                                     {"updates", updates_table},
                                                     {"staleness", staleness_table},
                                                     {"failures", failures_table}}};
    return all;
}

std::string table_names() {
    return fmt::format("{}", fmt::join(names_of_tables(), ", "));
}

Table (*named_table(std::string_view name))(const RunResults&) {
    const auto tables = named_tables();
    const auto found = std::ranges::find(tables, name, &NamedTable::name);
    if (found != tables.end()) return found->make;
    throw UsageError(fmt::format("--table: found \"{}\", expected one of {}{}", name, table_names(),
                                 did_you_mean(name, names_of_tables())));
}

}  // namespace convoy
