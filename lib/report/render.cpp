#include "report/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/json_text.hpp"
#include "base/overloaded.hpp"
#include "base/printable.hpp"
#include "base/similar_name.hpp"
#include "report/csv.hpp"
#include "report/html.hpp"
#include "report/latex.hpp"
#include "report/sheet.hpp"

namespace convoy {

Table joined(std::span<const std::string> labels, std::span<const Table> tables) {
    Table all = tables.front();
    all.rows.clear();
    for (std::size_t i = 0; i < all.columns.size(); ++i) {
        all.columns[i].scripts_only =
            std::ranges::all_of(tables, [i](const Table& table) { return table.columns[i].scripts_only; });
    }
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

TableFormat table_format(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, TableFormat>, 6> formats{
        {{"text", TableFormat::text},
         {"csv", TableFormat::csv},
         {"markdown", TableFormat::markdown},
         {"json", TableFormat::json},
         {"html", TableFormat::html},
         {"latex", TableFormat::latex}}};
    const auto* const found = std::find_if(formats.begin(), formats.end(),
                                           [name](const auto& format) { return format.first == name; });
    if (found != formats.end()) return found->second;
    std::vector<std::string_view> names;
    for (const auto& format : formats) names.push_back(format.first);
    throw UsageError(
        fmt::format("--format: found \"{}\", expected {}{}", name, table_formats, did_you_mean(name, names)));
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
    std::string text = fmt::format("## {}\n\n", printable(table.title));
    text += "|";
    for (const auto& name : sheet.header) text += " " + markdown_cell(name) + " |";
    text += "\n" + rule + "\n";
    for (const auto& row : sheet.rows) {
        text += "|";
        for (const auto& cell : row) text += " " + markdown_cell(cell.text) + " |";
        text += "\n";
    }
    return text;
}

std::string to_json_text(const Table& table) {
    return json_text(table_json(table), 2) + "\n";
}

std::string render(const Table& table, TableFormat format, const TextStyle& style) {
    switch (format) {
        case TableFormat::text: return to_text(table, style);
        case TableFormat::csv: return to_csv(table);
        case TableFormat::markdown: return to_markdown(table);
        case TableFormat::json: return to_json_text(table);
        case TableFormat::html: return html_page(table.title, html_table(table));
        case TableFormat::latex: return to_latex(table);
    }
    throw std::logic_error("a table format without a renderer");
}

std::string render_all(std::span<const Table> tables, TableFormat format, const TextStyle& style) {
    if (tables.size() == 1) return render(tables.front(), format, style);
    if (format == TableFormat::csv)
        throw UsageError("--format csv: a CSV holds one table; name it with --table");
    if (format == TableFormat::json) {
        auto list = nlohmann::json::array();
        for (const auto& table : tables) list.push_back(table_json(table));
        return json_text(list, 2) + "\n";
    }
    std::string text;
    if (format == TableFormat::html) {
        for (const auto& table : tables) text += html_table(table);
        return html_page(tables.front().title, text);
    }
    for (const auto& table : tables) text += (text.empty() ? "" : "\n") + render(table, format, style);
    return text;
}

}  // namespace convoy
