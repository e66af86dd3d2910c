#include "sweep/sweep_rows.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <utility>

#include "report/csv.hpp"
#include "report/measurement.hpp"
#include "sweep/sweep_folder.hpp"

namespace convoy {

namespace {

/// A column that an earlier version did not write.
std::optional<std::size_t> column_if_any(const CsvRows& rows, std::string_view name) {
    const auto has = std::ranges::find(rows.header(), name) != rows.header().end();
    return has ? std::optional(rows.column(name)) : std::nullopt;
}

}  // namespace

bool is_verdict_of_noise(std::string_view verdict) {
    return !verdict.empty() && verdict != verdict_name(Verdict::quiet);
}

std::optional<double> SweepRow::result(std::string_view figure) const {
    const auto found = figures.find(figure);
    return done && found != figures.end() ? std::optional(found->second) : std::nullopt;
}

SweepRows read_sweep_rows(std::istream& text, const std::string& source,
                          std::span<const std::string_view> figures,
                          std::span<const std::string_view> newer_figures) {
    CsvRows csv(text, source);
    const auto fields = static_cast<std::ptrdiff_t>(csv.column("repeat"));  // columns before it vary
    const auto state = csv.column("state");
    const auto run_id = column_if_any(csv, "run_id");
    const auto verdict = column_if_any(csv, "measurement");
    std::vector<std::pair<std::string_view, std::size_t>> columns;
    for (const auto figure : figures) columns.emplace_back(figure, csv.column(figure));
    for (const auto figure : newer_figures)
        if (const auto column = column_if_any(csv, figure)) columns.emplace_back(figure, *column);
    SweepRows sweep{.fields = {csv.header().begin(), csv.header().begin() + fields}, .rows = {}};
    while (csv.next()) {
        SweepRow row;
        for (std::size_t field = 0; field < sweep.fields.size(); ++field)
            row.settings.push_back(csv.text(field));
        if (run_id) row.run_id = csv.text(*run_id);
        row.done = csv.text(state) == run_state_name(RunState::done);
        row.not_quiet = verdict && is_verdict_of_noise(csv.text(*verdict));
        for (const auto& [figure, column] : columns)
            if (const auto value = csv.figure(column)) row.figures.emplace(figure, *value);
        sweep.rows.push_back(std::move(row));
    }
    return sweep;
}

std::optional<double> setting_number(const std::string& text) {
    double number = 0.0;
    const auto* const end = text.data() + text.size();
    const auto [stopped, problem] = std::from_chars(text.data(), end, number);
    if (problem != std::errc() || stopped != end || !std::isfinite(number)) return std::nullopt;
    return number;
}

}  // namespace convoy
