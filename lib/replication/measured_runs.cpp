#include "replication/measured_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "measure/durations.hpp"
#include "report/run_folder.hpp"
#include "report/run_folder_format.hpp"
#include "report/tables.hpp"
#include "sweep/sweep_folder.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_system_runs = 10'000;

/// The tables that the terms of a replication take columns from.
std::set<std::string> tables_needed(const ReplicationSpec& spec) {
    std::set<std::string> names;
    for (const auto& [name, measure] : spec.measures)
        for (const auto& [system, terms] : measure.terms)
            for (const auto& term : terms)
                if (!term.table.empty()) names.insert(term.table);
    return names;
}

bool has_label(const Cell& cell, std::string_view label) {
    if (const auto* text = std::get_if<std::string>(&cell)) return *text == label;
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) return std::to_string(*whole) == label;
    return false;
}

/// Whether the first cell is the label, or the first cells are its parts between slashes.
bool begins_with(std::span<const Cell> cells, std::string_view label) {
    if (has_label(cells.front(), label)) return true;
    const auto end = label.find('/');
    return end != label.npos && cells.size() > 1 && has_label(cells.front(), label.substr(0, end)) &&
           begins_with(cells.subspan(1), label.substr(end + 1));
}

std::optional<double> operator_value(const MeasuredRun& run, const MeasureTerm& term,
                                     const std::string& row) {
    const auto found = run.operators.find(term.operator_name == row_itself ? row : term.operator_name);
    if (found == run.operators.end()) return std::nullopt;
    const auto& sum = found->second;
    if (term.time == OperatorTime::total) return sum.total_us;
    if (!sum.exchange) return std::nullopt;
    switch (term.time) {
        case OperatorTime::exposed: return sum.exchange->exposed_us;
        case OperatorTime::in_flight: return sum.exchange->in_flight_us;
        case OperatorTime::hidden: return sum.exchange->hidden_us;
        default: return sum.exchange->skew_us;
    }
}

std::optional<double> table_value(const MeasuredRun& run, const MeasureTerm& term, const std::string& row) {
    const auto& table = run.tables.at(term.table);
    const auto column = std::ranges::find_if(
        table.columns, [&term](const Column& candidate) { return candidate.key() == term.column; });
    if (column == table.columns.end())
        throw DataError(fmt::format("the table {} has no column {}", term.table, term.column));
    const auto place = static_cast<std::size_t>(column - table.columns.begin());
    const auto& label = term.row == row_itself ? row : term.row;
    double sum = 0.0;
    std::int64_t values = 0;
    for (const auto& cells : table.rows) {
        if (!label.empty() && !begins_with(cells, label)) continue;
        const auto value = number_in(cells.at(place));
        if (!value) return std::nullopt;
        sum += *value;
        ++values;
    }
    return values > 0 ? std::optional(sum / static_cast<double>(values)) : std::nullopt;
}

/// What a term is divided by. Columns that add up over a run are of the whole run, whatever was chosen of it.
double parts_of(const MeasuredRun& run, const MeasureTerm& term) {
    if (term.per == Per::run) return 1.0;
    const bool is_chosen = term.table.empty();
    const auto parts = term.per == Per::epoch ? (is_chosen ? run.epochs : run.all_epochs)
                                              : (is_chosen ? run.steps : run.all_steps);
    return static_cast<double>(std::max<std::int64_t>(parts, 1));
}

/// The run folders that a path names.
std::vector<fs::path> run_folders_of(const fs::path& folder) {
    if (is_present(folder / summary_file)) return {folder};
    auto folders = run_folders_in(folder);
    if (!folders.empty()) return folders;
    std::error_code problem;
    folders = paths_in(folder, problem);
    std::erase_if(folders, [](const fs::path& path) { return !is_present(path / summary_file); });
    std::ranges::sort(folders);
    return folders;
}

}  // namespace

MeasuredRun measured_run(const ChosenRun& run, const std::string& name, const ReplicationSpec& spec) {
    MeasuredRun figures{.name = name,
                        .batch_size = run.results.batch_size,
                        .epochs = run.epochs,
                        .steps = run.steps,
                        .all_epochs = run.all_epochs,
                        .all_steps = run.all_steps};
    const auto nodes = static_cast<double>(std::max<std::int64_t>(run.nodes, 1));
    for (const auto& row : under_names(run.results.operators, spec.names)) {
        if (row.phase != RunPhase::train || row.folded_into) continue;
        auto& sum = figures.operators[row.operator_name];
        sum.total_us += row.total_us / nodes;
        if (!row.communication) continue;
        if (!sum.exchange) sum.exchange.emplace();
        const auto& times = *row.communication;
        *sum.exchange += {.in_flight_us = times.in_flight_us / nodes,
                          .hidden_us = times.hidden_us / nodes,
                          .exposed_us = times.exposed_us / nodes,
                          .skew_us = times.skew_us / nodes,
                          .exposed_skew_us = times.exposed_skew_us / nodes};
    }
    for (const auto& table : tables_needed(spec)) figures.tables[table] = named_table(table)(run.results);
    if (const auto measurement = measurement_of(run.results)) figures.verdict = measurement->verdict;
    return figures;
}

std::optional<double> measured(const MeasuredRun& run, std::span<const MeasureTerm> terms,
                               const std::string& row) {
    double sum = 0.0;
    for (const auto& term : terms) {
        const auto value = term.table.empty() ? operator_value(run, term, row) : table_value(run, term, row);
        if (!value && !term.optional) return std::nullopt;
        sum += value.value_or(0.0) * term.factor / parts_of(run, term);
    }
    return sum;
}

SystemRuns read_system_runs(const std::string& system, const fs::path& folder, const RecordChoice& choice,
                            const ReplicationSpec& spec) {
    const auto folders = run_folders_of(folder);
    if (folders.empty()) throw MissingFileError(fmt::format("{}: has no run folders", folder.string()));
    if (folders.size() > most_system_runs)
        throw DataError(fmt::format("{}: has more than {} runs", folder.string(), most_system_runs));
    SystemRuns runs{.system = system};
    for (const auto& path : folders) {
        const auto name = (path / "").parent_path().filename().string();
        const auto run = read_chosen_run(path, choice);
        if (run.results.status != RunStatus::done)
            throw DataError(fmt::format("{}: its status is {}: a part of it is missing", path.string(),
                                        run_status_name(run.results.status)));
        runs.runs.push_back(measured_run(run, name, spec));
    }
    return runs;
}

std::optional<Spread> spread_of(const SystemRuns& system, const Measure& measure, const std::string& row,
                                std::optional<std::int64_t> batch_size) {
    const auto* terms = measure.of(system.system);
    if (terms == nullptr) return std::nullopt;
    std::vector<double> values;
    for (const auto& run : system.runs) {
        if (batch_size && run.batch_size != *batch_size) continue;
        if (const auto value = measured(run, *terms, row)) values.push_back(*value);
    }
    if (values.empty()) return std::nullopt;
    const auto [least, greatest] = std::ranges::minmax(values);
    return Spread{.median = median(values), .least = least, .greatest = greatest, .runs = std::ssize(values)};
}

std::optional<Spread> ratio_of(const std::optional<Spread>& a, const std::optional<Spread>& b) {
    if (!a || !b || b->least <= 0.0) return std::nullopt;
    return Spread{.median = a->median / b->median,
                  .least = a->least / b->greatest,
                  .greatest = a->greatest / b->least,
                  .runs = std::min(a->runs, b->runs)};
}

std::set<std::int64_t> batch_sizes_of(const SystemRuns& a, const SystemRuns& b) {
    std::set<std::int64_t> sizes;
    for (const auto* system : {&a, &b})
        for (const auto& run : system->runs) sizes.insert(run.batch_size);
    return sizes;
}

std::optional<Spread> ratio_over_batches(const SystemRuns& a, const SystemRuns& b, const Measure& measure,
                                         const std::string& row) {
    std::vector<double> medians, least, greatest;
    std::int64_t runs = 0;
    for (const auto batch : batch_sizes_of(a, b)) {
        const auto ratio = ratio_of(spread_of(a, measure, row, batch), spread_of(b, measure, row, batch));
        if (!ratio) continue;
        medians.push_back(ratio->median);
        least.push_back(ratio->least);
        greatest.push_back(ratio->greatest);
        runs = runs == 0 ? ratio->runs : std::min(runs, ratio->runs);
    }
    if (medians.empty()) return std::nullopt;
    return Spread{
        .median = median(medians), .least = median(least), .greatest = median(greatest), .runs = runs};
}

}  // namespace convoy
