#include "report/figure.hpp"

#include <fmt/format.h>

#include <array>

#include "base/error.hpp"
#include "report/gnuplot_script.hpp"
#include "report/html.hpp"

namespace convoy {

namespace {

/// A tag with prefix before each identifier that it defines or refers to.
std::string with_prefix(std::string_view tag, std::string_view prefix) {
    constexpr std::array<std::string_view, 5> before_identifier{" id='", " id=\"", "href='#", "href=\"#",
                                                                "url(#"};
    std::string changed;
    while (!tag.empty()) {
        std::size_t taken = 1;
        bool identifier = false;
        for (const auto lead : before_identifier) {
            if (!tag.starts_with(lead)) continue;
            taken = lead.size();
            identifier = true;
        }
        changed += tag.substr(0, taken);
        if (identifier) changed += prefix;
        tag.remove_prefix(taken);
    }
    return changed;
}

}  // namespace

std::string inline_svg(std::string_view document, std::string_view prefix, std::string_view label) {
    constexpr std::string_view opening = "<svg";
    const auto begin = document.find(opening);
    if (begin == std::string_view::npos) throw OutputError("gnuplot: its output is not an SVG");
    document.remove_prefix(begin + opening.size());
    std::string svg = fmt::format(R"(<svg role="img" aria-label="{}" )", html_escaped(label));
    const auto prefix_dash = fmt::format("{}-", prefix);
    // Texts between the tags stay as they are, whatever names they hold.
    bool in_tag = true;
    while (!document.empty()) {
        const auto piece = document.substr(0, document.find(in_tag ? '>' : '<'));
        svg += in_tag ? with_prefix(piece, prefix_dash) : std::string(piece);
        document.remove_prefix(piece.size());
        in_tag = !in_tag;
    }
    return svg;
}

std::string html_figures(std::span<const Plot> plots, const Gnuplot& gnuplot) {
    std::string figures;
    try {
        for (const auto& plot : plots) {
            const auto svg = gnuplot.draw(gnuplot_script({&plot, 1}, ImageFormat::svg));
            figures += std::visit(
                [&svg](const auto& any) {
                    return fmt::format("<figure>{}</figure>\n", inline_svg(svg, any.name, any.title));
                },
                plot);
        }
    } catch (const Error& error) {
        return fmt::format("<p class=\"note\">No figures: {}</p>\n", html_escaped(error.what()));
    }
    return figures.empty() ? "" : fmt::format("<div class=\"figures\">\n{}</div>\n", figures);
}

}  // namespace convoy
