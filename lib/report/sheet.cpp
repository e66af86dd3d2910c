#include "report/sheet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/overloaded.hpp"
#include "base/printable.hpp"

namespace convoy {

namespace {

constexpr std::string_view absent_for_people = "-";
constexpr std::size_t longest_figure = 15;
/// Figures with so many decimals are scores, and have left all bounds from here on.
constexpr int decimals_of_scores = 4;
constexpr double greatest_score = 1e6;

std::string header_for_people(const Column& column) {
    auto name = column.name;
    std::replace(name.begin(), name.end(), '_', ' ');
    const auto& unit = column.shown.unit.empty() ? column.unit : column.shown.unit;
    if (unit.empty()) return name;
    return fmt::format("{} ({})", name, unit == "pct" ? "%" : unit);
}

std::string cell_for_people(const Cell& cell, const Column& column) {
    const auto& shown = column.shown;
    const auto figure = [&shown](double value) { return figure_text(value, shown); };
    return std::visit(Overloaded{[](std::monostate) { return std::string(absent_for_people); },
                                 [](const std::string& text) { return text; },
                                 [](const Note& note) { return note.shown ? note.text : std::string(); },
                                 [&](std::int64_t value) {
                                     return shown.divisor == 1.0 ? fmt::format("{}", value)
                                                                 : figure(static_cast<double>(value));
                                 },
                                 figure},
                      cell);
}

}  // namespace

std::string figure_text(double value, const Shown& shown) {
    if (!std::isfinite(value)) return std::string(absent_for_people);
    const auto figure = value / shown.divisor;
    auto text = fmt::format("{:.{}f}", figure, shown.decimals);
    const bool diverged = shown.decimals >= decimals_of_scores && std::abs(figure) >= greatest_score;
    return !diverged && text.size() <= longest_figure ? text : fmt::format("{:.6g}", figure);
}

Sheet sheet_for_people(const Table& table) {
    Sheet sheet;
    for (const auto& column : table.columns) {
        if (column.scripts_only) continue;
        sheet.columns.push_back(&column);
        sheet.header.push_back(printable(header_for_people(column)));
    }
    for (const auto& cells : table.rows) {
        auto& row = sheet.rows.emplace_back();
        for (const auto* column : sheet.columns) {
            const auto& cell = cells.at(static_cast<std::size_t>(column - table.columns.data()));
            const auto* share = column->bar ? std::get_if<double>(&cell) : nullptr;
            row.push_back({.text = printable(cell_for_people(cell, *column)),
                           .note = std::holds_alternative<Note>(cell),
                           .absent = std::holds_alternative<std::monostate>(cell),
                           .share_pct = share != nullptr ? std::optional(*share) : std::nullopt});
        }
    }
    return sheet;
}

}  // namespace convoy
