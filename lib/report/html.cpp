#include "report/html.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/sheet.hpp"

namespace convoy {

namespace {

constexpr std::string_view style_sheet = R"(
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1b1f24; --faint: #d8dee4; --edge: #1b1f2440;
        --bar: #0072b233; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171a; --ink: #e4e8ec; --faint: #3a4148;
        --edge: #e4e8ec60; --bar: #56b4e955; } }
body { margin: 0 auto; padding: 0.8rem; max-width: 84rem; background: var(--paper); color: var(--ink);
       font: 0.95rem/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; margin: 0.3rem 0 1rem; }
h2 { font-size: 1.05rem; margin: 1.6rem 0 0.4rem; }
.note { border-left: 0.25rem solid #d55e00; padding-left: 0.6rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(22rem, 100%), 1fr)); gap: 0.8rem;
           align-items: start; margin: 0.8rem 0; }
.figures figure { margin: 0; padding: 0.5rem; break-inside: avoid; border: 1px solid var(--faint); border-radius: 0.3rem; }
.figures .broad { grid-column: 1 / -1; }
.broad svg { max-width: 64rem; }
.for-narrow { display: none; }
@media (max-width: 44rem) { .for-broad { display: none; } .for-narrow { display: block; } }
figcaption { font-size: 0.9rem; margin-bottom: 0.5rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(12rem, 100%), 1fr)); gap: 0.6rem; margin: 0.8rem 0; }
.tiles div { border: 1px solid var(--faint); border-left: 0.25rem solid #0072b2; border-radius: 0.3rem; padding: 0.4rem 0.6rem; }
.tiles .warns { border-left-color: #d55e00; }
.tiles dt, .tiles dd { margin: 0; font-size: 0.85rem; }
.tiles b { display: block; font-size: 1.15rem; }
.figures svg { display: block; width: 100%; height: auto; }
.figures svg text { fill: var(--ink); }
/* A shadow at the edge behind which a table goes on. The first two layers move with the table, and hide it at its ends. */
.wide { overflow-x: auto; background: linear-gradient(to right, var(--paper) 40%, transparent) left / 2.5rem 100%,
        linear-gradient(to left, var(--paper) 40%, transparent) right / 2.5rem 100%,
        linear-gradient(to right, var(--edge), transparent) left / 0.8rem 100%,
        linear-gradient(to left, var(--edge), transparent) right / 0.8rem 100%;
        background-repeat: no-repeat; background-attachment: local, local, scroll, scroll; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.15rem 0.6rem; border-bottom: 1px solid var(--faint); text-align: right; white-space: nowrap; }
th { white-space: normal; overflow-wrap: normal; vertical-align: bottom; }
.left { text-align: left; }
td.left { white-space: normal; overflow-wrap: break-word; }
.facts td { white-space: normal; text-align: left; }
.facts th { text-align: left; font-weight: normal; opacity: 0.75; }
.share { background: linear-gradient(to right, var(--bar) var(--part), transparent var(--part)); }
pre { overflow-x: auto; font-size: 0.85rem; }
summary { cursor: pointer; margin-top: 1.2rem; }
@media print {
body { max-width: none; padding: 0; font-size: 9pt; }
.wide, pre { overflow: visible; }
.wide { background: none; }
table { font-size: 6pt; }
th, td { padding: 0.1rem 0.15rem; }
.left, td.left, .facts td { white-space: normal; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; font-size: 7pt; }
tr, .tiles div, figure { break-inside: avoid; }
h2 { break-after: avoid; }
thead { display: table-header-group; }
.share { print-color-adjust: exact; }
details:not([open])::details-content { content-visibility: visible; block-size: auto; }
}
)";

/// address: of the page that the cell leads to; empty if it leads nowhere.
std::string cell_tag(const Column& column, const SheetCell& cell, std::string_view address) {
    auto text = html_escaped(cell.text);
    if (!address.empty()) text = fmt::format("<a href=\"{}\">{}</a>", html_escaped(address), text);
    if (!cell.share_pct) return fmt::format("<td{}>{}</td>", column.left ? " class=\"left\"" : "", text);
    return fmt::format(R"(<td class="share" style="--part: {:.1f}%">{}</td>)",
                       std::clamp(*cell.share_pct, 0.0, 100.0), text);
}

std::string heading(const Table& table) {
    return fmt::format("<h2>{}</h2>\n", html_escaped(table.title));
}

std::string caption(const Drawing& drawing) {
    return fmt::format("<figcaption><b>{}</b>{}{}</figcaption>\n", html_escaped(drawing.title),
                       drawing.description.empty() ? "" : ". ", html_escaped(drawing.description));
}

}  // namespace

std::string html_lines(std::string_view text, bool warns) {
    std::string html;
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        html += fmt::format("<p{}>{}</p>\n", warns ? " class=\"note\"" : "", html_escaped(line));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    return html;
}

std::string html_table(const Table& table, const ColumnLinks& links) {
    const auto sheet = sheet_for_people(table);
    std::string text = heading(table) + "<div class=\"wide\"><table>\n<thead><tr>";
    for (std::size_t i = 0; i < sheet.columns.size(); ++i) {
        text += fmt::format("<th{}>{}</th>", sheet.columns[i]->left ? " class=\"left\"" : "",
                            html_escaped(sheet.header[i]));
    }
    text += "</tr></thead>\n<tbody>\n";
    for (std::size_t place = 0; place < sheet.rows.size(); ++place) {
        const auto& row = sheet.rows[place];
        text += "<tr>";
        for (std::size_t i = 0; i < row.size(); ++i) {
            const auto& column = *sheet.columns[i];
            text += cell_tag(column, row[i], column.name == links.column ? links.addresses[place] : "");
        }
        text += "</tr>\n";
    }
    return text + "</tbody></table></div>\n";
}

std::string html_facts(const Table& table) {
    const auto sheet = sheet_for_people(table);
    std::string text = heading(table) + "<div class=\"wide\"><table class=\"facts\">\n";
    for (std::size_t i = 0; i < sheet.columns.size(); ++i) {
        text += fmt::format("<tr><th>{}</th>", html_escaped(sheet.header[i]));
        for (const auto& row : sheet.rows) text += fmt::format("<td>{}</td>", html_escaped(row[i].text));
        text += "</tr>\n";
    }
    return text + "</table></div>\n";
}

std::string html_figure(const Drawing& drawing) {
    return fmt::format("<figure>{}{}</figure>\n", caption(drawing), svg_element(drawing));
}

std::string html_broad_figure(const Drawing& broad, const Drawing& narrow) {
    return fmt::format(
        "<figure class=\"broad\">{}<div class=\"for-broad\">{}</div><div "
        "class=\"for-narrow\">{}</div></figure>\n",
        caption(broad), svg_element(broad), svg_element(narrow));
}

std::string html_page(std::string_view title, std::string_view body) {
    const auto name = html_escaped(title);
    std::string page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
    page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
    page +=
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'; img-src data:\">\n";
    // Browsers ask a server for an icon unless they are given one.
    page += "<link rel=\"icon\" href=\"data:,\">\n";
    page += fmt::format("<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n", name, style_sheet,
                        chart_style());
    return page + fmt::format("<h1>{}</h1>\n{}</body>\n</html>\n", name, body);
}

}  // namespace convoy
