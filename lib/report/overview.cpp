#include "report/overview.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "report/measurement.hpp"
#include "report/records_csv.hpp"
#include "report/render.hpp"
#include "report/tables.hpp"

namespace convoy {

namespace {

constexpr std::ptrdiff_t shown_epochs = 12;
constexpr std::size_t shown_operators = 10;

Table last_epochs(const RunResults& results) {
    auto table = epochs_table(results);
    const auto more = static_cast<std::ptrdiff_t>(table.rows.size()) - shown_epochs;
    if (more <= 0) return table;
    table.rows.erase(table.rows.begin(), table.rows.begin() + more);
    table.title += fmt::format(" (the last {} of {})", shown_epochs, results.epochs.size());
    return table;
}

Table top_operators(const RunResults& results) {
    RunResults training = results;
    std::erase_if(training.operators, [](const OperatorRecord& row) {
        return row.phase != RunPhase::train || row.folded_into.has_value();
    });
    auto table = operators_table(training);
    table.title += ", in training";
    if (table.rows.size() > shown_operators) {
        table.title += fmt::format(" (the longest {} of {})", shown_operators, table.rows.size());
        table.rows.resize(shown_operators);
    }
    return table;
}

}  // namespace

std::vector<Table> overview(const RunResults& results) {
    return {final_table(results), phases_table(results), last_epochs(results), top_operators(results)};
}

std::string overview_text(const RunResults& results, const TextStyle& style) {
    const auto measurement = measurement_lines(results);
    return render_all(overview(results), TableFormat::text, style) +
           (measurement.empty() ? "" : "\n" + measurement);
}

std::string overview_markdown(const RunResults& results) {
    std::string measurement;
    std::istringstream lines(measurement_lines(results));
    for (std::string line; std::getline(lines, line);) measurement += line + "\n\n";
    return fmt::format("# {}, run {}\n\n{}{}", results.name, results.run_id, measurement,
                       render_all(overview(results), TableFormat::markdown));
}

}  // namespace convoy
