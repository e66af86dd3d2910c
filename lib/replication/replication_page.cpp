#include "replication/replication_page.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/printable.hpp"
#include "replication/page_sections.hpp"
#include "report/html.hpp"
#include "report/render.hpp"

namespace convoy {

std::string replication_page(const Replication& replication, const std::string& picture) {
    const auto page = page_content(replication);
    auto text = fmt::format("# {}\n", printable(page.title));
    for (const auto& line : page.lines) text += fmt::format("\n{}\n", printable(line));
    for (const auto& section : page.sections) {
        text += "\n" + to_markdown(section.table);
        if (!section.below.empty()) text += fmt::format("\n{}\n", printable(section.below));
    }
    if (picture.empty()) return text;
    text += "\n## Figures\n\n";
    for (const auto& drawing : replication_drawings(replication))
        text += fmt::format("* {}\n", printable(drawing.title));
    return text + fmt::format("\n![figures by batch size]({})\n", picture);
}

std::string replication_html(const Replication& replication) {
    const auto page = page_content(replication);
    std::string body;
    for (const auto& line : page.lines) body += html_lines(line, false);
    std::string figures;
    for (const auto& drawing : replication_drawings(replication)) figures += html_figure(drawing);
    if (!figures.empty()) figures = fmt::format("<div class=\"figures\">\n{}</div>\n", figures);
    // Behind the first section, which counts what replicates.
    for (const auto& section : page.sections)
        body += html_table(section.table) + html_lines(section.below, false) + std::exchange(figures, "");
    return html_page(page.title, body);
}

}  // namespace convoy
