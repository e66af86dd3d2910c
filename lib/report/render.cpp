#include "report/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "report/csv.hpp"

namespace convoy {

Table joined(std::span<const std::string> labels, std::span<const Table> tables) {
    Table all = tables.front();
    all.rows.clear();
    all.columns.insert(all.columns.begin(), Column{.name = "run", .unit = "", .left = true, .shown = {}});
    for (std::size_t i = 0; i < tables.size(); ++i) {
        for (auto row : tables[i].rows) {
            row.insert(row.begin(), labels[i]);
            all.rows.push_back(std::move(row));
        }
    }
    return all;
}

namespace {

constexpr std::size_t bar_width = 20;
constexpr std::string_view absent_for_people = "-";

template <typename... Visitors>
struct Overloaded : Visitors... {
    using Visitors::operator()...;
};
template <typename... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;

std::string header_for_people(const Column& column) {
    auto name = column.name;
    std::replace(name.begin(), name.end(), '_', ' ');
    const auto& unit = column.shown.unit.empty() ? column.unit : column.shown.unit;
    if (unit.empty()) return name;
    return fmt::format("{} ({})", name, unit == "pct" ? "%" : unit);
}

std::string bar(double share_pct) {
    const auto filled = std::clamp(share_pct / 100.0, 0.0, 1.0) * static_cast<double>(bar_width);
    return fmt::format(" {:<{}}", std::string(static_cast<std::size_t>(std::lround(filled)), '#'), bar_width);
}

std::string cell_for_people(const Cell& cell, const Column& column) {
    const auto& shown = column.shown;
    const auto figure = [&shown](double value) {
        if (!std::isfinite(value)) return std::string(absent_for_people);
        return fmt::format("{:.{}f}", value / shown.divisor, shown.decimals);
    };
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

/// The columns that people see, as strings: a row of headers, then the rows.
struct Sheet {
    std::vector<const Column*> columns;
    std::vector<std::vector<std::string>> rows;
};

Sheet sheet_for_people(const Table& table, bool bars) {
    Sheet sheet;
    for (const auto& column : table.columns) {
        if (!column.scripts_only) sheet.columns.push_back(&column);
    }
    auto& header = sheet.rows.emplace_back();
    for (const auto* column : sheet.columns) header.push_back(header_for_people(*column));
    for (const auto& cells : table.rows) {
        auto& row = sheet.rows.emplace_back();
        for (const auto* column : sheet.columns) {
            const auto& cell = cells.at(static_cast<std::size_t>(column - table.columns.data()));
            row.push_back(cell_for_people(cell, *column));
            const auto* share = std::get_if<double>(&cell);
            if (bars && column->bar) row.back() += bar(share != nullptr ? *share : 0.0);
        }
    }
    return sheet;
}

/// Characters, not bytes: continuation bytes of UTF-8 take no room.
std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
    }));
}

std::string padded(const std::string& text, std::size_t to_width, bool left) {
    const std::string room(to_width - std::min(width(text), to_width), ' ');
    return left ? text + room : room + text;
}

std::string markdown_cell(const std::string& text) {
    std::string escaped;
    for (const char letter : text) {
        if (letter == '|') escaped += '\\';
        escaped += letter == '\n' ? ' ' : letter;
    }
    return escaped;
}

void set_json(nlohmann::json& object, const std::string& key, const Cell& cell) {
    const auto absent = [&](const std::string& reason) {
        object[key] = nullptr;
        object[key + "_reason"] = reason;
    };
    std::visit(Overloaded{[&](std::monostate) { absent("not measured in this run"); },
                          [&](const Note& note) { absent(note.text); },
                          [&](double value) {
                              if (!std::isfinite(value)) return absent("the value is not finite");
                              object[key] = value;
                          },
                          [&](const auto& value) { object[key] = value; }},
               cell);
}

std::string json_text(const nlohmann::json& json) {
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

nlohmann::json table_json(const Table& table) {
    auto rows = nlohmann::json::array();
    for (const auto& cells : table.rows) {
        auto row = nlohmann::json::object();
        for (std::size_t i = 0; i < cells.size(); ++i) set_json(row, table.columns[i].key(), cells[i]);
        rows.push_back(std::move(row));
    }
    return {{"table", table.name}, {"rows", std::move(rows)}};
}

}  // namespace

std::optional<TableFormat> table_format(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, TableFormat>, 4> formats{
        {{"text", TableFormat::text},
         {"csv", TableFormat::csv},
         {"markdown", TableFormat::markdown},
         {"json", TableFormat::json}}};
    const auto* const found = std::find_if(formats.begin(), formats.end(),
                                           [name](const auto& format) { return format.first == name; });
    if (found == formats.end()) return std::nullopt;
    return found->second;
}

std::string to_text(const Table& table, bool bars) {
    const auto sheet = sheet_for_people(table, bars);
    std::vector<std::size_t> widths(sheet.columns.size(), 0);
    for (const auto& row : sheet.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
    }
    std::string text = table.title + "\n";
    for (const auto& row : sheet.rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            line += (i == 0 ? "" : "  ") + padded(row[i], widths[i], sheet.columns[i]->left);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

std::string to_csv(const Table& table) {
    std::vector<std::string> keys;
    for (const auto& column : table.columns) keys.push_back(column.key());
    const std::vector<std::string_view> header(keys.begin(), keys.end());
    CsvWriter csv(header);
    for (const auto& row : table.rows) {
        for (const auto& cell : row) {
            std::visit(Overloaded{[&](std::monostate) { csv.empty(); }, [&](const Note&) { csv.empty(); },
                                  [&](const std::string& text) { csv.text(text); },
                                  [&](std::int64_t value) { csv.integer(value); },
                                  [&](double value) { csv.figure(value); }},
                       cell);
        }
        csv.end_row();
    }
    return csv.content();
}

std::string to_markdown(const Table& table) {
    const auto sheet = sheet_for_people(table, false);
    std::string rule = "|";
    for (const auto* column : sheet.columns) rule += column->left ? " --- |" : " ---: |";
    std::string text = fmt::format("## {}\n\n", table.title);
    for (std::size_t i = 0; i < sheet.rows.size(); ++i) {
        text += "|";
        for (const auto& cell : sheet.rows[i]) text += " " + markdown_cell(cell) + " |";
        text += i == 0 ? "\n" + rule + "\n" : "\n";
    }
    return text;
}

std::string to_json_text(const Table& table) {
    return json_text(table_json(table));
}

std::string render(const Table& table, TableFormat format, bool bars) {
    switch (format) {
        case TableFormat::text: return to_text(table, bars);
        case TableFormat::csv: return to_csv(table);
        case TableFormat::markdown: return to_markdown(table);
        case TableFormat::json: return to_json_text(table);
    }
    throw std::logic_error("a table format without a renderer");
}

std::string render_all(std::span<const Table> tables, TableFormat format, bool bars) {
    if (tables.size() == 1) return render(tables.front(), format, bars);
    if (format == TableFormat::csv)
        throw UsageError("--format csv: a CSV holds one table; name it with --table");
    if (format == TableFormat::json) {
        auto list = nlohmann::json::array();
        for (const auto& table : tables) list.push_back(table_json(table));
        return json_text(list);
    }
    std::string text;
    for (const auto& table : tables) text += (text.empty() ? "" : "\n") + render(table, format, bars);
    return text;
}

}  // namespace convoy
