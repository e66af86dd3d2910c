#include "sweep/sweep_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "base/json_integer.hpp"
#include "measure/durations.hpp"
#include "report/columns.hpp"
#include "report/measurement.hpp"
#include "report/render.hpp"
#include "report/sheet.hpp"
#include "sweep/repetition.hpp"
#include "sweep/scaling.hpp"
#include "sweep/scaling_columns.hpp"
#include "sweep/setting_labels.hpp"
#include "sweep/sweep_rows.hpp"

namespace convoy {
namespace {

using nlohmann::json;

/// How a list with one value per node becomes one figure.
enum class OverNodes : std::uint8_t { single, largest, mean };

/// A figure of summary.json that a sweep compares.
struct Figure {
    const char* name;
    const char* unit;
    const char* pointer;
    OverNodes over_nodes;
    Shown shown;
    /// Column::detail of its column in medians_table; absent if it has none there.
    std::optional<int> in_medians = std::nullopt;
};

const std::array<Figure, 22>& figures() {
    using enum OverNodes;
    static const std::array<Figure, 22> all{{
        {"train_loss", "", "/final/train_loss", single, {"", 1.0, 4}},
        {"train_accuracy", "", "/final/train_accuracy", single, {"", 1.0, 4}},
        {"validation_accuracy", "", "/final/validation_accuracy", single, {"", 1.0, 4}},
        {"test_loss", "", "/final/test_loss", single, {"", 1.0, 4}},
        {"test_accuracy", "", "/final/test_accuracy", single, {"", 1.0, 4}, 2},
        {"examples_per_second", "", "/examples_per_second/mean", single, {"", 1.0, 1}, 1},
        {"step_p50", "us", "/step_us/p50", single, {"ms", 1e3, 2}, 0},
        {"step_p99", "us", "/step_us/p99", single, {"ms", 1e3, 2}},
        {"train", "s", "/phases_s/train", single, {"s", 1.0, 2}, 4},
        {"total", "s", "/phases_s/total", single, {"s", 1.0, 2}},
        {"in_flight", "us", "/communication/in_flight_us", single, {"ms", 1e3, 1}},
        {"exposed", "us", "/communication/exposed_us", single, {"ms", 1e3, 1}, 0},
        {"skew", "us", "/communication/skew_us", single, {"ms", 1e3, 1}},
        {"exposed_skew", "us", "/communication/exposed_skew_us", single, {"ms", 1e3, 1}},
        {"sent", "bytes", "/communication/bytes_sent_per_node", largest, {"MB", 1e6, 1}},
        {"peak_resident", "bytes", "/memory/peak_resident_bytes_per_node", largest, {"MB", 1e6, 1}, 5},
        {"cpu_user", "pct", "/cpu/user_pct_per_node", mean, {"%", 1.0, 1}},
        {"data_wait", "us", "/data/wait_us", single, {"ms", 1e3, 1}, 6},
        {"time_to_accuracy", "s", "/target/time_to_accuracy_s", single, {"s", 1.0, 2}},
        {"others_cores", "", "/measurement/others_cores", single, {"", 1.0, 2}},
        {"steal", "pct", "/measurement/steal_pct", single, {"%", 1.0, 1}},
        {"waited", "pct", "/measurement/waited_pct", single, {"%", 1.0, 1}},
    }};
    return all;
}

/// Figures whose columns are behind those of older versions, since columns are only added.
const std::array<Figure, 5>& newer_figures() {
    using enum OverNodes;
    static const std::array<Figure, 5> all{{
        {"step_p05", "us", "/step_us/p05", single, {"ms", 1e3, 2}},
        {"step_undisturbed", "us", "/step_us/undisturbed", single, {"ms", 1e3, 2}},
        {"slow_core", "pct", "/measurement/slow_core_pct", single, {"%", 1.0, 1}},
        {"core_look", "us", "/measurement/core_look_us", single, {"us", 1.0, 2}},
        {"undisturbed", "pct", "/measurement/undisturbed_pct", single, {"%", 1.0, 1}},
    }};
    return all;
}

std::optional<double> value_of(const json& summary, const Figure& figure) {
    const json::json_pointer pointer(figure.pointer);
    if (!summary.contains(pointer)) return std::nullopt;
    const auto& found = summary.at(pointer);
    if (found.is_number()) return found.get<double>();
    if (!found.is_array() || found.empty()) return std::nullopt;
    double sum = 0.0;
    double largest = 0.0;
    for (const auto& value : found) {
        if (!value.is_number()) return std::nullopt;
        sum += value.get<double>();
        largest = std::max(largest, value.get<double>());
    }
    return figure.over_nodes == OverNodes::mean ? sum / static_cast<double>(found.size()) : largest;
}

/// The verdict on a run's measurement; empty if its summary has none.
std::string verdict_of(const json& summary) {
    const json::json_pointer pointer("/measurement/verdict");
    const auto found = summary.contains(pointer) ? summary.at(pointer) : json();
    return found.is_string() ? found.get<std::string>() : "";
}

/// Of all nodes together; empty if the summary has none, as those of older versions.
Cell retransmits_of(const json& summary) {
    const json::json_pointer pointer("/measurement/retransmits");
    const auto found = summary.contains(pointer) ? summary.at(pointer) : json();
    return is_integer_of<std::int64_t>(found) ? Cell(found.get<std::int64_t>()) : Cell();
}

Table with_settings(const Sweep& sweep, std::string name, std::string title) {
    Table table{.name = std::move(name), .title = std::move(title), .columns = {}, .rows = {}};
    for (const auto& axis : sweep.axes) table.columns.push_back(columns::words(axis.field));
    return table;
}

std::vector<Cell> setting_cells(const SweepRun& run) {
    return {run.settings.begin(), run.settings.end()};
}

void add_identity(Table& table) {
    table.columns.push_back(columns::count("repeat"));
    table.columns.push_back(columns::count("seed"));
    table.columns.push_back(columns::words("run_id"));
    table.columns.push_back(columns::words("state"));
}

std::vector<Cell> identity_of(const SweepRun& run, const SweepEntry& entry) {
    auto cells = setting_cells(run);
    cells.emplace_back(run.repeat);
    cells.emplace_back(static_cast<std::int64_t>(run.spec.seed));
    cells.emplace_back(run.run_id);
    cells.emplace_back(std::string(run_state_name(entry.state)));
    return cells;
}

/// "0.9915 [0.9902, 0.9921]", as the figure is shown.
std::string median_text(std::vector<double> values, const Figure& figure) {
    std::ranges::sort(values);
    const auto scaled = [&](double value) { return figure_text(value, figure.shown); };
    const auto median = scaled(quantile(std::span<const double>(values), 0.5));
    return fmt::format("{} [{}, {}]", median, scaled(values.front()), scaled(values.back()));
}

/// The runs of each setting, in the order of the first repeat.
std::vector<std::vector<std::size_t>> runs_by_setting(const Sweep& sweep) {
    std::vector<std::vector<std::size_t>> groups;
    std::map<std::vector<std::string>, std::size_t> positions;
    for (std::size_t i = 0; i < sweep.runs.size(); ++i) {
        const auto [found, added] = positions.try_emplace(sweep.runs[i].settings, groups.size());
        if (added) groups.emplace_back();
        groups[found->second].push_back(i);
    }
    return groups;
}

/// The summaries of the runs that are done.
std::vector<const json*> summaries_of(const std::vector<std::size_t>& runs,
                                      std::span<const SweepEntry> entries) {
    std::vector<const json*> summaries;
    for (const auto run : runs)
        if (entries[run].state == RunState::done) summaries.push_back(&entries[run].summary);
    return summaries;
}

std::vector<double> values_of(const std::vector<const json*>& summaries, const Figure& figure) {
    std::vector<double> values;
    for (const auto* summary : summaries)
        if (const auto value = value_of(*summary, figure)) values.push_back(*value);
    return values;
}

std::int64_t not_quiet_of(const std::vector<const json*>& summaries) {
    return std::ranges::count_if(
        summaries, [](const json* summary) { return is_verdict_of_noise(verdict_of(*summary)); });
}

using SettingCells = std::vector<std::pair<std::string, Cell>>;

Cell cell_of(const json& value) {
    if (is_integer_of<std::int64_t>(value)) return value.get<std::int64_t>();
    if (value.is_number()) return value.get<double>();
    if (value.is_string()) return value.get<std::string>();
    return value.is_null() ? Cell() : Cell(value.dump());
}

/// The settings of a run by field; objects as their fields. An axis of both, as ["local", {"name": ...}], has
/// its words under the field's own name.
SettingCells flat_settings(const Sweep& sweep, const SweepRun& run) {
    SettingCells cells;
    for (std::size_t i = 0; i < sweep.axes.size(); ++i) {
        const auto& field = sweep.axes[i].field;
        const auto& text = run.settings[i];
        const auto value = value_of_setting(text);
        if (!value.is_object()) {
            cells.emplace_back(field, cell_of(value));
            continue;
        }
        for (const auto& [key, part] : value.items()) cells.emplace_back(field + "." + key, cell_of(part));
    }
    return cells;
}

/// The fields that any setting has, in the order in which they first occur.
std::vector<std::string> fields_of(const std::vector<SettingCells>& settings) {
    std::vector<std::string> fields;
    for (const auto& cells : settings)
        for (const auto& [field, cell] : cells)
            if (std::ranges::find(fields, field) == fields.end()) fields.push_back(field);
    return fields;
}

SweepRows throughputs_of(const Sweep& sweep, std::span<const SweepEntry> entries) {
    return rows_in(runs_table(sweep, entries), std::array{throughput_column});
}

}  // namespace

Table runs_table(const Sweep& sweep, std::span<const SweepEntry> entries) {
    auto table = with_settings(sweep, "runs", fmt::format("Runs of {}", sweep.name));
    add_identity(table);
    const auto column_of = [](const Figure& figure) {
        return Column{.name = figure.name, .unit = figure.unit, .left = false, .shown = figure.shown};
    };
    const auto cell_of_figure = [](const SweepEntry& entry, const Figure& figure) {
        const auto value = value_of(entry.summary, figure);
        return value ? Cell(*value) : Cell();
    };
    for (const auto& figure : figures()) table.columns.push_back(column_of(figure));
    table.columns.push_back(columns::words("measurement"));
    table.columns.push_back(columns::words("outlier"));
    table.columns.push_back(columns::count("retransmits"));
    for (const auto& figure : newer_figures()) table.columns.push_back(column_of(figure));
    const auto outlying = outlying_runs(sweep, entries);
    for (std::size_t i = 0; i < sweep.runs.size(); ++i) {
        if (is_spare(sweep, i, entries[i])) continue;
        auto row = identity_of(sweep.runs[i], entries[i]);
        for (const auto& figure : figures()) row.push_back(cell_of_figure(entries[i], figure));
        const auto verdict = verdict_of(entries[i].summary);
        row.push_back(verdict.empty() ? Cell() : Cell(verdict));
        row.push_back(entries[i].state == RunState::done ? Cell(outlying[i] ? "yes" : "no") : Cell());
        row.push_back(retransmits_of(entries[i].summary));
        for (const auto& figure : newer_figures()) row.push_back(cell_of_figure(entries[i], figure));
        table.rows.push_back(std::move(row));
    }
    return table;
}

SweepRows rows_in(const Table& runs, std::span<const std::string_view> figures,
                  std::span<const std::string_view> newer_figures) {
    std::istringstream text(to_csv(runs));
    return read_sweep_rows(text, std::string(runs_file), figures, newer_figures);
}

Table medians_table(const Sweep& sweep, std::span<const SweepEntry> entries) {
    auto table = with_settings(sweep, "medians",
                               fmt::format("{}: median [smallest, largest] over the repeats", sweep.name));
    table.columns.push_back(columns::detail(columns::count("runs"), 3));
    for (const auto& figure : figures()) {
        if (!figure.in_medians) continue;
        const auto unit = figure.shown.unit.empty() ? std::string() : "_" + figure.shown.unit;
        table.columns.push_back(columns::detail(columns::count(figure.name + unit), *figure.in_medians));
    }
    table.columns.push_back(columns::count("not_quiet"));
    for (const auto& group : runs_by_setting(sweep)) {
        const auto summaries = summaries_of(group, entries);
        auto row = setting_cells(sweep.runs[group.front()]);
        row.emplace_back(std::ssize(summaries));
        for (const auto& figure : figures()) {
            if (!figure.in_medians) continue;
            auto values = values_of(summaries, figure);
            row.push_back(values.empty() ? Cell() : Cell(median_text(std::move(values), figure)));
        }
        row.emplace_back(not_quiet_of(summaries));
        table.rows.push_back(std::move(row));
    }
    return with_scaling(std::move(table), throughputs_of(sweep, entries));
}

Table medians_data(const Sweep& sweep, std::span<const SweepEntry> entries) {
    Table table{.name = "medians", .title = sweep.name + ": medians", .columns = {}, .rows = {}};
    const auto groups = runs_by_setting(sweep);
    std::vector<SettingCells> settings;
    for (const auto& group : groups) settings.push_back(flat_settings(sweep, sweep.runs[group.front()]));
    const auto fields = fields_of(settings);
    for (const auto& field : fields) table.columns.push_back(columns::words(field));
    table.columns.push_back(columns::count("runs"));
    table.columns.push_back(columns::count("not_quiet"));
    for (const auto& figure : figures())
        for (const auto* which : {"_median", "_least", "_greatest"})
            table.columns.push_back(
                {.name = figure.name + std::string(which), .unit = figure.unit, .left = false, .shown = {}});
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const auto summaries = summaries_of(groups[i], entries);
        std::vector<Cell> row;
        for (const auto& field : fields) {
            const auto found = std::ranges::find(settings[i], field, &SettingCells::value_type::first);
            row.push_back(found == settings[i].end() ? Cell() : found->second);
        }
        row.emplace_back(std::ssize(summaries));
        row.emplace_back(not_quiet_of(summaries));
        for (const auto& figure : figures()) {
            auto values = values_of(summaries, figure);
            std::ranges::sort(values);
            const bool none = values.empty();
            row.push_back(none ? Cell() : Cell(quantile(std::span<const double>(values), 0.5)));
            row.push_back(none ? Cell() : Cell(values.front()));
            row.push_back(none ? Cell() : Cell(values.back()));
        }
        table.rows.push_back(std::move(row));
    }
    return with_scaling_data(std::move(table), throughputs_of(sweep, entries));
}

std::string measurement_line(std::span<const SweepEntry> entries) {
    std::map<std::string, std::size_t> runs;
    std::size_t told = 0;
    std::size_t done = 0;
    for (const auto& entry : entries) {
        if (entry.state != RunState::done) continue;
        ++done;
        const auto verdict = verdict_of(entry.summary);
        if (verdict.empty()) continue;
        ++told;
        ++runs[verdict];
    }
    if (told == 0) return "";
    const auto silent = told < done ? fmt::format("; {} tell nothing", done - told) : "";
    const auto noisy = runs[std::string(verdict_name(Verdict::noisy))];
    const auto invalid = runs[std::string(verdict_name(Verdict::invalid))];
    if (noisy + invalid == 0)
        return fmt::format("measurement: {}{}\n",
                           told == 1 ? "the run is quiet" : fmt::format("all {} runs are quiet", told),
                           silent);
    return fmt::format(
        "measurement: {} of {} runs are not quiet ({} noisy, {} invalid){}; runs.csv says which, and "
        "`convoy report` of their folders why\n",
        noisy + invalid, told, noisy, invalid, silent);
}

std::string trust_lines(const Sweep& sweep, std::span<const SweepEntry> entries) {
    return measurement_line(entries) + outlier_lines(sweep, entries) + precision_lines(sweep, entries) +
           undisturbed_lines(sweep, entries);
}

Table plan_table(const Sweep& sweep, std::span<const SweepEntry> entries) {
    auto table = with_settings(sweep, "sweep", fmt::format("Runs of {}", sweep.name));
    add_identity(table);
    for (std::size_t i = 0; i < sweep.runs.size(); ++i)
        if (!is_spare(sweep, i, entries[i])) table.rows.push_back(identity_of(sweep.runs[i], entries[i]));
    return table;
}

}  // namespace convoy
