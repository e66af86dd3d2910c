#include "report/gnuplot_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/printable.hpp"
#include "report/latex.hpp"

namespace convoy {

namespace {

/// Of one plot. Small, and its letters large, so that it can still be read where a telephone shrinks it.
constexpr int plot_width = 480;
constexpr int line_plot_height = 260;
constexpr int key_row_height = 18, key_letter_width = 8, key_sample_width = 70;
constexpr int bar_height = 36, around_bars = 80;
constexpr double middle_of_bar = 0.2;  ///< below the place of the bar's number, in bars
constexpr std::size_t longest_label = 50;

/// Okabe and Ito's colours, which colour-blind people can tell apart, and which show on white and on black.
constexpr std::array<std::string_view, 6> colours{"#0072b2", "#d55e00", "#009e73",
                                                  "#cc79a7", "#e69f00", "#56b4e9"};
constexpr std::string_view faint_colour = "#999999";
constexpr std::string_view dot_colour = "#d55e00";  ///< on a bar

/// Puts a text in gnuplot's quotes; TikZ prints what LaTeX makes of it.
std::string label(std::string_view text, ImageFormat format, std::size_t longest = longest_label) {
    const auto shown = shortened(text, longest);
    return gnuplot_quoted(format == ImageFormat::tikz ? latex_escaped(shown) : shown);
}

/// How many of the lines' titles gnuplot finds place for beside one another.
int key_columns(const LinePlot& plot) {
    std::size_t longest = 1;
    for (const auto& series : plot.series)
        longest = std::max(longest, std::min(series.title.size(), longest_label));
    return std::max(1, plot_width / (key_letter_width * static_cast<int>(longest) + key_sample_width));
}

/// Below the plot. Where titles are long, the samples of the lines stand before them: gnuplot would draw them
/// beyond the right edge.
std::string_view key_place(const LinePlot& plot) {
    return key_columns(plot) > 1 ? "below" : "below left Left reverse maxcols 1";
}

/// With room below for the lines' titles.
int height_of(const LinePlot& plot) {
    const auto columns = key_columns(plot);
    const auto rows = (static_cast<int>(plot.series.size()) + columns - 1) / columns;
    return line_plot_height + key_row_height * rows;
}

int height_of(const BarPlot& plot) {
    return around_bars + bar_height * static_cast<int>(plot.bars.size());
}

int height_of(const Plot& plot) {
    return std::visit([](const auto& any) { return height_of(any); }, plot);
}

/// In a paper, a picture has the width of a column or more.
std::string terminal_for_paper(ImageFormat format, int height) {
    constexpr double pixels_per_inch = 96.0;
    const auto size =
        fmt::format("size {:.3f}in,{:.3f}in", plot_width / pixels_per_inch, height / pixels_per_inch);
    return format == ImageFormat::pdf
               ? fmt::format("set terminal pdfcairo {} noenhanced font 'sans-serif,10' linewidth 1.5\n", size)
               : fmt::format("set terminal tikz {} color\n", size);  // 5.4 takes nostandalone for standalone
}

std::string terminal(std::span<const Plot> plots, ImageFormat format, int height) {
    if (format == ImageFormat::pdf || format == ImageFormat::tikz) return terminal_for_paper(format, height);
    if (format == ImageFormat::png) {
        return fmt::format(
            "set terminal pngcairo size {},{} noenhanced font 'sans-serif,20' fontscale 1 linewidth 2\n",
            2 * plot_width, 2 * height);
    }
    const auto name = std::visit([](const auto& plot) { return plot.name; }, plots.front());
    return fmt::format(
        "set terminal svg size {},{} dynamic noenhanced font 'sans-serif,13' linewidth 1.5 name {}\n",
        plot_width, height, gnuplot_quoted(name));
}

/// A named block of numbers, one row each.
std::string data_block(std::string_view name, const std::vector<std::string>& rows) {
    std::string text = fmt::format("${} << END\n", name);
    for (const auto& row : rows) text += row + "\n";
    return text + "END\n";
}

std::string series_block(const PlotSeries& series, std::string_view name) {
    std::vector<std::string> rows;
    for (const auto& point : series.points) {
        const auto [low, high] = point.low_high.value_or(std::pair(point.y, point.y));
        rows.push_back(fmt::format("{:.9g} {:.9g} {:.9g} {:.9g}", point.x, point.y, low, high));
    }
    return data_block(name, rows);
}

/// The dots that are hollow, or the full ones, as a block and the words that draw it; nothing without such
/// dots.
struct DrawnDots {
    std::string block, drawn;
};

DrawnDots drawn_dots(const std::vector<PlotDot>& dots, bool hollow, std::string name,
                     std::string_view colour) {
    constexpr int circle = 6, disc = 7;
    std::vector<std::string> rows;
    for (const auto& dot : dots)
        if (dot.hollow == hollow) rows.push_back(fmt::format("{:.9g} {:.9g}", dot.x, dot.y));
    if (rows.empty()) return {};
    name += hollow ? "hollow" : "full";
    return {data_block(name, rows),
            fmt::format(
                ", \\\n     ${} using 1:2 with points pointtype {} pointsize 0.7 linecolor rgb '{}' notitle",
                name, hollow ? circle : disc, colour)};
}

std::string series_style(const PlotSeries& series) {
    const bool bars =
        std::ranges::any_of(series.points, [](const auto& p) { return p.low_high.has_value(); });
    // Runs that are drawn need no mark at their median, which may be no run.
    if (bars && !series.dots.empty()) return "using 1:2:3:4 with yerrorlines pointtype -1";
    if (!series.dots.empty()) return "using 1:2 with lines";
    if (bars) return "using 1:2:3:4 with yerrorlines pointtype 7 pointsize 0.5";
    return series.marks ? "using 1:2 with linespoints pointtype 7 pointsize 0.5" : "using 1:2 with lines";
}

/// Marks at every x that occurs, for an axis on which powers of two are evenly spaced.
std::string logarithmic_axis(const LinePlot& plot) {
    std::vector<double> places;
    for (const auto& series : plot.series) {
        for (const auto& point : series.points) places.push_back(point.x);
    }
    std::ranges::sort(places);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    std::string marks;
    for (const auto place : places) marks += fmt::format("{}{:.9g}", marks.empty() ? "" : ",", place);
    return fmt::format("set logscale x 2\nset xtics ({})\nset xrange [{:.9g}:{:.9g}]\n", marks,
                       places.front() / std::sqrt(2.0), places.back() * std::sqrt(2.0));
}

std::string lines_script(const LinePlot& plot, ImageFormat format) {
    std::string text = fmt::format("set ylabel {}\nset xlabel offset 0,0.4\nset key {}\nset grid\n",
                                   label(plot.y_label, format), key_place(plot));
    text += plot.x_logarithmic ? logarithmic_axis(plot) : "set xrange [0:*] noextend\n";
    // Room above the highest point; a share's axis ends at 1 at the most.
    if (plot.y_is_share) {
        text += "set yrange [*:*<1]\n";
    } else {
        text += "set offsets 0, 0, graph 0.05, 0\n";
        text += plot.y_logarithmic ? "set logscale y\n" : "set yrange [0:*]\n";
    }
    std::string drawn;
    std::size_t coloured = 0;
    for (std::size_t i = 0; i < plot.series.size(); ++i) {
        const auto& series = plot.series[i];
        const auto name = fmt::format("data{}", i);
        const auto colour = series.faint ? faint_colour : colours[coloured % colours.size()];
        // Where the colours begin again, lines are dashed.
        const auto dash = series.faint ? 1 : 1 + coloured++ / colours.size();
        text += series_block(series, name);
        drawn +=
            fmt::format("{}${} {} linecolor rgb '{}' dashtype {} title {}", i == 0 ? "plot " : ", \\\n     ",
                        name, series_style(series), colour, dash, label(series.title, format));
        for (const bool hollow : {false, true}) {
            const auto dots = drawn_dots(series.dots, hollow, name, colour);
            text += dots.block;
            drawn += dots.drawn;
        }
    }
    return text + drawn + "\n";
}

/// Each label stands above its bar, where it has the plot's whole width.
std::string bars_script(const BarPlot& plot, ImageFormat format) {
    std::string labels;
    std::vector<std::string> rows;
    std::vector<PlotDot> dots;
    double longest = 0.0;
    for (std::size_t i = 0; i < plot.bars.size(); ++i) {
        const auto at = static_cast<double>(i);
        labels += fmt::format("set label {} at 0,{:.2f} left offset 0.3,0\n",
                              label(plot.bars[i].label, format), at - 0.27);
        // The figure stands right of the bar and of all dots.
        auto end = plot.bars[i].value;
        for (const auto& dot : plot.bars[i].dots) {
            dots.push_back({.x = dot.x, .y = at + middle_of_bar, .hollow = dot.hollow});
            end = std::max(end, dot.x);
        }
        rows.push_back(fmt::format("{} {:.9g} {:.9g}", i, plot.bars[i].value, end));
        longest = std::max(longest, end);
    }
    const auto full = drawn_dots(dots, false, "dots", dot_colour);
    const auto hollow = drawn_dots(dots, true, "dots", dot_colour);
    // Room on the right for the longest bar's figure.
    return fmt::format("unset ytics\nset border 1\nset grid x\nset xrange [0:{:.9g}]\nset yrange [{}:-0.6]\n",
                       longest > 0.0 ? 1.15 * longest : 1.0, static_cast<double>(plot.bars.size()) - 0.5) +
           labels + data_block("data", rows) + full.block + hollow.block +
           fmt::format(
               "plot $data using 2:1:(0):2:($1+0.02):($1+0.38) with boxxyerror fillstyle solid "
               "linecolor rgb '{}' notitle, \\\n"
               "     $data using 3:($1+{}):(sprintf('%.1f', $2)) with labels left offset 0.5,0 notitle{}{}\n",
               colours[0], middle_of_bar, full.drawn, hollow.drawn);
}

struct Script {
    ImageFormat format;
    std::string operator()(const LinePlot& plot) const { return lines_script(plot, format); }
    std::string operator()(const BarPlot& plot) const { return bars_script(plot, format); }
};

std::string plot_script(const Plot& plot, ImageFormat format) {
    const auto titles = std::visit(
        [format](const auto& any) {
            return fmt::format("set title {}\nset xlabel {}\nset border 3\nset tics nomirror out scale 0.5\n",
                               label(any.title, format, longest_title), label(any.x_label, format));
        },
        plot);
    return titles + std::visit(Script{format}, plot);
}

}  // namespace

std::string shortened(std::string_view text, std::size_t most) {
    std::size_t characters = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool begins = (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U;
        if (begins && ++characters > most) return std::string(text.substr(0, at)) + "…";
    }
    return std::string(text);
}

std::string gnuplot_quoted(std::string_view text) {
    std::string quoted = "'";
    for (const char letter : printable(text)) {
        // gnuplot doubles a quote to write it, but ends the text at two such in a row.
        if (letter == '\'') {
            quoted += "\u2019";
        } else {
            quoted += letter;
        }
    }
    return quoted + "'";
}

std::string gnuplot_script(std::span<const Plot> plots, ImageFormat format) {
    int height = 0;
    for (const auto& plot : plots) height += height_of(plot);
    std::string text = "set encoding utf8\n" + terminal(plots, format, height);
    if (plots.size() == 1) return text + plot_script(plots.front(), format);
    text += "set multiplot\n";
    // Each in a strip of its own height: gnuplot counts from the bottom, as shares of the picture.
    int above = 0;
    for (const auto& plot : plots) {
        const auto own = height_of(plot);
        above += own;
        text += fmt::format("reset\nset size 1,{:.6f}\nset origin 0,{:.6f}\n",
                            static_cast<double>(own) / height, static_cast<double>(height - above) / height);
        text += plot_script(plot, format);
    }
    return text + "unset multiplot\n";
}

}  // namespace convoy
