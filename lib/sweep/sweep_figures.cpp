#include "sweep/sweep_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "chart/text_width.hpp"
#include "measure/durations.hpp"
#include "sweep/scaling.hpp"
#include "sweep/setting_labels.hpp"
#include "sweep/sweep_axes.hpp"
#include "sweep/sweep_measures.hpp"

namespace convoy {

namespace {

/// An axis whose greatest value is more than this many times its least is logarithmic.
constexpr double widest_linear_range = 10.0;
/// Longer names of lines stand in a key, and not at the lines' ends.
constexpr double longest_label = 0.34 * chart_width;
/// Lines have so many colours; further ones are dashed.
constexpr std::size_t line_colours = 6;

/// Places in SweepRows::rows.
using RowPlaces = std::vector<std::size_t>;

/// Which rows a chart shows.
struct Panel {
    std::string label;
    RowPlaces rows;
};

std::vector<Panel> panels_of(const SweepRows& sweep, const std::vector<Factor>& factors) {
    std::map<std::vector<std::size_t>, RowPlaces> by_levels;
    for (std::size_t row = 0; row < sweep.rows.size(); ++row)
        by_levels[levels_of(factors, sweep.rows[row])].push_back(row);
    std::vector<Panel> panels;
    for (auto& [levels, rows] : by_levels) panels.push_back({levels_label(factors, levels), std::move(rows)});
    return panels;
}

ScaleKind kind_of(const std::vector<double>& values) {
    if (values.empty()) return ScaleKind::linear;
    const auto [least, greatest] = std::ranges::minmax(values);
    const bool wide = least > 0.0 && greatest > widest_linear_range * least;
    return wide ? ScaleKind::logarithmic : ScaleKind::linear;
}

/// Nodes and batches are mostly powers of two.
ChartAxis x_axis(const Factor& factor) {
    const bool in_powers = factor.name == "nodes" || factor.name == "batch_size";
    const bool positive = std::ranges::min(factor.numbers) > 0.0;
    return {
        .title = factor.name == "batch_size" ? "batch size, all nodes together" : field_words(factor.name),
        .kind = in_powers && positive ? ScaleKind::logarithmic : kind_of(factor.numbers),
        .ticks_at = factor.numbers};
}

/// The ideal line as points over x, on a linear axis of y a curve where x is logarithmic.
std::vector<ChartPoint> ideal_points(IdealLine ideal, const Factor& x) {
    if (ideal == IdealLine::none) return {};
    const auto [first, last] = std::ranges::minmax(x.numbers);
    constexpr double all = 100.0;
    if (ideal == IdealLine::level) return {{first, all}, {last, all}};
    constexpr int pieces = 8;
    std::vector<ChartPoint> points;
    for (std::size_t i = 0; i + 1 < x.numbers.size(); ++i) {
        for (int piece = 0; piece < pieces; ++piece) {
            const double at = std::lerp(x.numbers[i], x.numbers[i + 1], static_cast<double>(piece) / pieces);
            points.push_back({at, at / first});
        }
    }
    points.push_back({last, last / first});
    return points;
}

std::vector<double> known_values(const SweepMeasure& measure) {
    std::vector<double> values;
    for (const auto& value : measure.values)
        if (value) values.push_back(*value);
    return values;
}

ChartAxis y_axis(const SweepMeasure& measure, const std::vector<ChartPoint>& ideal) {
    auto covered = known_values(measure);
    for (const auto& point : ideal) covered.push_back(point.y);
    const auto kind = kind_of(covered);
    const auto [least, greatest] = std::ranges::minmax(covered);
    return {.title = measure.axis, .kind = kind, .covered = {least, greatest}};
}

/// The runs of one line: dots, and a line through their medians.
void add_marks(ChartSeries& series, const SweepRows& sweep, const RowPlaces& rows, const Factor& x,
               const SweepMeasure& measure) {
    std::map<double, std::vector<double>> values;
    for (const auto row : rows) {
        if (!measure.values[row]) continue;
        const double at = x.numbers[x.level_of(sweep.rows[row])];
        auto& marks = sweep.rows[row].not_quiet ? series.rings : series.dots;
        marks.push_back({at, *measure.values[row]});
        values[at].push_back(*measure.values[row]);
    }
    for (const auto& [at, repeats] : values) series.line.push_back({at, median(repeats)});
}

/// How the lines of a sweep look. Without a factor there is one line without a name.
std::vector<ChartKeyEntry> line_styles(const std::optional<Factor>& colour) {
    if (!colour) return {{}};
    std::vector<ChartKeyEntry> styles;
    for (std::size_t level = 0; level < colour->labels.size(); ++level) {
        styles.push_back({.mark = std::to_string(level + 1),
                          .label = colour->labels[level],
                          .tone = tone_of(level),
                          .dashed = level / line_colours % 2 == 1});
    }
    return styles;
}

bool fit_at_line_ends(const std::vector<ChartKeyEntry>& styles) {
    return std::ranges::all_of(styles,
                               [](const auto& style) { return text_width(style.label) <= longest_label; });
}

/// What all charts of a sweep with lines share.
struct LineForm {
    Factor x;
    std::optional<Factor> colour;
    std::vector<ChartKeyEntry> styles;
    bool has_key = false;
};

XyChart line_chart(const SweepRows& sweep, const Panel& panel, const LineForm& form,
                   const SweepMeasure& measure) {
    const auto ideal = ideal_points(measure.ideal, form.x);
    XyChart chart{.title = measure.title + (panel.label.empty() ? "" : ": " + panel.label),
                  .description = measure.description,
                  .x = x_axis(form.x),
                  .y = y_axis(measure, ideal),
                  .series = {}};
    if (!ideal.empty())
        chart.series.push_back({.label = "ideal", .tone = Tone::grey, .line = ideal, .dashed = true});
    for (std::size_t level = 0; level < form.styles.size(); ++level) {
        const auto& style = form.styles[level];
        ChartSeries series{
            .label = form.has_key ? style.mark : style.label, .tone = style.tone, .dashed = style.dashed};
        RowPlaces rows;
        for (const auto row : panel.rows)
            if (!form.colour || form.colour->level_of(sweep.rows[row]) == level) rows.push_back(row);
        add_marks(series, sweep, rows, form.x, measure);
        if (!series.line.empty()) chart.series.push_back(std::move(series));
    }
    return chart;
}

bool has_runs(const Panel& panel, const SweepMeasure& measure) {
    return std::ranges::any_of(panel.rows, [&](std::size_t row) { return measure.values[row].has_value(); });
}

/// The charts over a numeric factor.
void add_line_figures(SweepFigures& figures, const SweepRows& sweep, const SweepAxes& axes) {
    LineForm form{.x = *axes.x, .colour = axes.colour, .styles = line_styles(axes.colour)};
    form.has_key = !fit_at_line_ends(form.styles);
    if (form.has_key) figures.key = {.title = field_words(axes.colour->name), .entries = form.styles};
    const auto panels = panels_of(sweep, axes.panels);
    for (const auto& measure : measures_of(sweep, axes)) {
        if (known_values(measure).empty()) continue;
        SweepFigure figure{.name = measure.name, .title = measure.title, .charts = {}};
        for (const auto& panel : panels)
            if (has_runs(panel, measure)) figure.charts.emplace_back(line_chart(sweep, panel, form, measure));
        figures.figures.push_back(std::move(figure));
    }
}

/// The charts without a numeric factor: a row for each setting.
void add_row_figures(SweepFigures& figures, const SweepRows& sweep, const SweepAxes& axes) {
    std::vector<Factor> factors = axes.panels;
    if (axes.colour) factors.insert(factors.begin(), *axes.colour);
    const auto settings = panels_of(sweep, factors);
    for (const auto& measure : measures_of(sweep, axes)) {
        const auto values = known_values(measure);
        if (values.empty()) continue;
        DotRowChart chart{.title = measure.title,
                          .description = measure.description,
                          .x = {.title = measure.axis, .kind = kind_of(values)},
                          .rows = {}};
        for (const auto& setting : settings) {
            DotRow row{.label = setting.label.empty() ? "every run" : setting.label};
            std::vector<double> repeats;
            for (const auto place : setting.rows) {
                const auto& value = measure.values[place];
                if (!value) continue;
                repeats.push_back(*value);
                (sweep.rows[place].not_quiet ? row.rings : row.dots).push_back(*value);
            }
            if (repeats.empty()) continue;
            row.line = median(repeats);
            chart.rows.push_back(std::move(row));
        }
        figures.figures.push_back({.name = measure.name, .title = measure.title, .charts = {chart}});
    }
}

std::string note_of(const SweepRows& sweep, const SweepAxes& axes) {
    const auto is_shown = [](const SweepRow& row) { return row.done; };
    const auto shown = std::ranges::count_if(sweep.rows, is_shown);
    const auto hollow =
        std::ranges::count_if(sweep.rows, [](const SweepRow& row) { return row.done && row.not_quiet; });
    std::string note = axes.x ? "Each dot is a run; lines go through the medians of the repeats."
                              : "Each dot is a run; the line across a row is the median of the repeats.";
    if (hollow > 0)
        note += fmt::format(" {} of {} runs {} not quiet: hollow dots.", hollow, shown,
                            hollow == 1 ? "was" : "were");
    note += "\n";
    const auto scaling = axes.x ? scaling_of(sweep) : std::nullopt;
    if (!scaling || axes.x->name != "nodes") return note;
    note += fmt::format(
        "Speed-up and efficiency compare with the median throughput of {} with the same other settings.",
        scaling->baseline());
    if (scaling->not_quiet_baseline_runs > 0)
        note += fmt::format(" {} of these {} baseline runs {} not quiet.", scaling->not_quiet_baseline_runs,
                            scaling->baseline_runs, scaling->not_quiet_baseline_runs == 1 ? "was" : "were");
    return note + "\n";
}

}  // namespace

SweepFigures sweep_figures(const SweepRows& sweep) {
    const auto axes = choose_axes(factors_of(sweep));
    SweepFigures figures;
    if (axes.x) {
        add_line_figures(figures, sweep, axes);
    } else {
        add_row_figures(figures, sweep, axes);
    }
    if (!figures.figures.empty()) figures.note = note_of(sweep, axes);
    return figures;
}

}  // namespace convoy
