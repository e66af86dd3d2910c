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
#include "report/overloaded.hpp"
#include "report/sheet.hpp"

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

std::string bar(double share_pct) {
    const auto filled = std::clamp(share_pct / 100.0, 0.0, 1.0) * static_cast<double>(bar_width);
    return fmt::format(" {:<{}}", std::string(static_cast<std::size_t>(std::lround(filled)), '#'), bar_width);
}

/// The header, then the rows, with the bars that are wanted.
std::vector<std::vector<std::string>> lines_of(const Sheet& sheet, bool bars) {
    std::vector<std::vector<std::string>> lines{sheet.header};
    for (const auto& cells : sheet.rows) {
        auto& line = lines.emplace_back();
        for (std::size_t i = 0; i < cells.size(); ++i) {
            line.push_back(cells[i].text);
            if (bars && sheet.columns[i]->bar) line.back() += bar(cells[i].share_pct.value_or(0.0));
        }
    }
    return lines;
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
    const auto sheet = sheet_for_people(table);
    const auto lines = lines_of(sheet, bars);
    std::vector<std::size_t> widths(sheet.columns.size(), 0);
    for (const auto& row : lines) {
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
    }
    std::string text = table.title + "\n";
    for (const auto& row : lines) {
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
    const auto sheet = sheet_for_people(table);
    std::string rule = "|";
    for (const auto* column : sheet.columns) rule += column->left ? " --- |" : " ---: |";
    std::string text = fmt::format("## {}\n\n", table.title);
    const auto lines = lines_of(sheet, false);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        text += "|";
        for (const auto& cell : lines[i]) text += " " + markdown_cell(cell) + " |";
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
