#include "sweep/sweep_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "report/html.hpp"
#include "report/run_folder_format.hpp"
#include "report/table_parts.hpp"
#include "sweep/repetition.hpp"
#include "sweep/sweep_axes.hpp"
#include "sweep/sweep_figures.hpp"
#include "sweep/sweep_measures.hpp"
#include "sweep/sweep_tables.hpp"
#include "sweep/train_shares.hpp"

namespace convoy {

namespace {

std::string side_by_side(const std::string& figures) {
    return figures.empty() ? "" : fmt::format("<div class=\"figures\">\n{}</div>\n", figures);
}

/// Figures of one chart stand side by side; several charts of one figure have a line of their own.
std::string figures_html(const SweepFigures& figures) {
    std::string html;
    std::string line;
    for (const auto& figure : figures.figures) {
        for (const auto& chart : figure.charts)
            line += html_figure(std::visit([](const auto& any) { return drawn(any); }, chart));
        if (figure.charts.size() > 1) html += side_by_side(std::exchange(line, ""));
    }
    if (!figures.key.entries.empty()) line += html_figure(drawn(figures.key));
    return html + side_by_side(line);
}

/// The addresses of the runs' own pages, from the sweep's folder, for each row of runs_table; empty for runs
/// that are not done.
std::vector<std::string> run_addresses(const Sweep& sweep, std::span<const SweepEntry> entries) {
    std::vector<std::string> addresses;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (is_spare(sweep, i, entries[i])) continue;
        const auto page = run_folder_of("", sweep.runs[i]) / page_file;
        addresses.push_back(entries[i].state == RunState::done ? page.generic_string() : "");
    }
    return addresses;
}

/// Objects of the grid as their short names; the whole texts are in runs.csv.
Table with_short_settings(Table table, const SweepRows& rows) {
    for (const auto& factor : factors_of(rows)) {
        for (auto& row : table.rows) {
            auto& cell = row[factor.field];
            const auto* text = std::get_if<std::string>(&cell);
            if (text == nullptr || !text->starts_with('{')) continue;
            const auto level = std::ranges::find(factor.values, *text) - factor.values.begin();
            cell = factor.labels.at(static_cast<std::size_t>(level));
        }
    }
    return table;
}

/// A table in as many parts as fit a sheet of paper. keys: the columns that each part has.
std::string table_html(const Table& table, std::size_t keys, const ColumnLinks& links = {}) {
    constexpr std::size_t columns_on_paper = 6;
    std::string html;
    for (const auto& part : table_parts(table, keys, columns_on_paper)) html += html_table(part, links);
    return html;
}

std::string shares_html(const Table& runs, const SweepRows& rows) {
    const auto shares = train_shares_table(rows_in(runs, train_share_columns));
    return html_table(with_short_settings(shares, rows)) +
           html_lines(
               "Network is exposed communication; slower nodes is the exposed wait for them. Both and "
               "data are means over the nodes; exchanges of evaluations count too.",
               false);
}

}  // namespace

std::string sweep_page(const Sweep& sweep, std::span<const SweepEntry> entries) {
    const auto runs = runs_table(sweep, entries);
    const auto done = std::ranges::count(entries, RunState::done, &SweepEntry::state);
    // By way of the file's rows: what is drawn is what `convoy report --plot` draws from it later.
    const auto rows = rows_in(runs, measured_columns, further_columns);
    const auto figures = sweep_figures(rows);
    const auto fields = sweep.axes.size();
    constexpr std::size_t identity_columns = 4;  // repeat, seed, run_id, state
    const ColumnLinks links{.column = "run_id", .addresses = run_addresses(sweep, entries)};
    return html_page(fmt::format("{}, {} of {} runs done", sweep.name, done, sweep.runs.size()),
                     html_lines(trust_lines(sweep, entries), false) + html_lines(figures.note, false) +
                         figures_html(figures) +
                         table_html(with_short_settings(medians_table(sweep, entries), rows), fields) +
                         shares_html(runs, rows) +
                         table_html(with_short_settings(runs, rows), fields + identity_columns, links));
}

}  // namespace convoy
