#include "report/overview.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>

#include "report/batch_shares.hpp"
#include "report/failures.hpp"
#include "report/measurement.hpp"
#include "report/records_csv.hpp"
#include "report/render.hpp"
#include "report/tables.hpp"
#include "report/update_tables.hpp"

namespace convoy {

namespace {

constexpr std::ptrdiff_t shown_epochs = 12;
constexpr std::size_t shown_kinds = 10;

Table last_epochs(const RunResults& results) {
    auto table = epochs_table(results);
    const auto more = static_cast<std::ptrdiff_t>(table.rows.size()) - shown_epochs;
    if (more <= 0) return table;
    table.rows.erase(table.rows.begin(), table.rows.begin() + more);
    table.title += fmt::format(" (the last {} of {})", shown_epochs, results.epochs.size());
    return table;
}

/// A table with some of its columns, in another order.
Table selected(const Table& table, std::span<const std::string_view> names) {
    Table result{table.name, table.title, {}, std::vector<std::vector<Cell>>(table.rows.size())};
    for (const auto name : names) {
        const auto found = std::ranges::find(table.columns, name, &Column::name);
        const auto at = static_cast<std::size_t>(found - table.columns.begin());
        result.columns.push_back(table.columns.at(at));
        for (std::size_t i = 0; i < table.rows.size(); ++i) result.rows[i].push_back(table.rows[i][at]);
    }
    return result;
}

/// The kinds of operators with the longest times, and all that wait for other nodes: communication is what a
/// run is measured for, also where it takes little time.
Table top_kinds(const RunResults& results) {
    constexpr std::array<std::string_view, 10> names{"operator", "layers", "calls",   "total",     "mean",
                                                     "share",    "hidden", "exposed", "in_flight", "skew"};
    RunResults training = results;
    std::erase_if(training.operators, [](const OperatorRecord& row) { return row.phase != RunPhase::train; });
    auto table = selected(operator_totals_table(training), names);
    const auto exposed = static_cast<std::size_t>(std::ranges::find(names, "exposed") - names.begin());
    const auto all = table.rows.size();
    std::size_t position = 0;
    std::erase_if(table.rows, [&](const std::vector<Cell>& row) {
        return position++ >= shown_kinds && std::holds_alternative<std::monostate>(row[exposed]);
    });
    table.title = "Time per kind of operator in training, over all nodes";
    if (table.rows.size() < all) table.title += fmt::format(" ({} of {} kinds)", table.rows.size(), all);
    return table;
}

}  // namespace

std::vector<Table> overview(const RunResults& results) {
    std::vector<Table> tables{final_table(results), phases_table(results), last_epochs(results),
                              top_kinds(results)};
    if (auto updates = updates_table(results); !updates.rows.empty()) tables.push_back(std::move(updates));
    if (auto failures = failures_table(results); !failures.rows.empty())
        tables.push_back(std::move(failures));
    return tables;
}

std::string lines_below(const RunResults& results) {
    return shares_lines(results) + measurement_lines(results);
}

std::string overview_text(const RunResults& results, const TextStyle& style) {
    return render_all(overview(results), TableFormat::text, style) + "\n" + lines_below(results);
}

std::string overview_markdown(const RunResults& results) {
    std::string measurement;
    std::istringstream lines(lines_below(results));
    for (std::string line; std::getline(lines, line);) measurement += line + "\n\n";
    return fmt::format("# {}, run {}\n\n{}{}", results.name, results.run_id, measurement,
                       render_all(overview(results), TableFormat::markdown));
}

}  // namespace convoy
