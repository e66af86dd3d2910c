#include "report/run_page.hpp"

#include <fmt/format.h>

#include "report/course_charts.hpp"
#include "report/failures.hpp"
#include "report/headline.hpp"
#include "report/html.hpp"
#include "report/json_facts.hpp"
#include "report/label_histogram.hpp"
#include "report/measurement.hpp"
#include "report/parts_table.hpp"
#include "report/plot_chart.hpp"
#include "report/plots.hpp"
#include "report/step_charts.hpp"
#include "report/tables.hpp"
#include "report/update_tables.hpp"

namespace convoy {

namespace {

std::string folded(std::string_view title, const std::string& html) {
    return fmt::format("<details><summary>{}</summary>\n{}</details>\n", html_escaped(title), html);
}

std::string figures(const std::string& html) {
    return html.empty() ? "" : fmt::format("<div class=\"figures\">\n{}</div>\n", html);
}

std::string html_plot(const LinePlot& plot) {
    return html_figure(drawn(plot));
}

/// Over the whole width, since names of operators are long.
std::string html_plot(const BarPlot& plot) {
    return html_broad_figure(drawn(plot, wide_chart_width), drawn(plot));
}

std::string html_plots(const std::vector<Plot>& plots) {
    std::string html;
    for (const auto& plot : plots) html += std::visit([](const auto& any) { return html_plot(any); }, plot);
    return html;
}

/// Where the time of the steps went.
std::string step_figures_of(const RunResults& results, const StepBreakdown& breakdown,
                            const std::optional<StepTimeLine>& time_line) {
    if (breakdown.nodes.empty()) return "";
    const auto broad = [](const auto& chart_for) {
        return html_broad_figure(drawn(chart_for(wide_chart_width), wide_chart_width),
                                 drawn(chart_for(chart_width), chart_width));
    };
    auto html = broad([&](double) { return step_parts_chart(breakdown); });
    if (time_line)
        html += broad([&](double width) { return time_line_chart(*time_line, results.operators, width); });
    if (!breakdown.exchanges.empty()) html += html_figure(drawn(exchanges_chart(breakdown)));
    for (const auto& chart : step_time_charts(results)) html += html_figure(drawn(chart));
    return html + html_plots(operator_plots(results));
}

std::string system_figures_of(const RunResults& results) {
    std::string html;
    for (const auto& chart : system_charts(results)) html += html_figure(drawn(chart));
    return html;
}

std::string label_figure_of(const RunResults& results) {
    const auto chart = label_histogram_chart(results);
    return chart.rows.empty() ? "" : html_figure(drawn(chart));
}

}  // namespace

std::string run_page(const RunResults& results, const std::string& spec, const std::string& environment,
                     const std::optional<StepTimeLine>& time_line) {
    const auto breakdown = step_breakdown(results);
    auto body = html_headline(results, breakdown, spec, environment);
    body += figures(step_figures_of(results, breakdown, time_line));
    if (!time_line && !breakdown.nodes.empty())
        body += "<p>There is no time-line of a step: no step was traced (measure.trace_steps).</p>\n";
    if (!results.planned_pipeline.empty())
        body += fmt::format("<p>The planned schedule:</p>\n<pre>{}</pre>\n",
                            html_escaped(results.planned_pipeline));
    body += figures(html_plots(curve_plots(results)) + label_figure_of(results) + system_figures_of(results));
    body += html_facts(final_table(results));
    for (auto* const make : {phases_table, input_pipeline_table, epochs_table, operator_totals_table,
                             network_table, system_table, memory_table, utilisation_table, measurement_table})
        body += html_table(make(results));
    for (auto* const make : {failures_table, updates_table, staleness_table})
        if (const auto table = make(results); !table.rows.empty()) body += html_table(table);
    body += html_facts(facts_of_json("Environment", environment));
    body += folded("Every operator", html_table(operators_table(results)));
    if (const auto labels = label_histogram_table(results); !labels.rows.empty())
        body += folded("Labels of each node", html_table(labels));
    if (const auto parts = parts_table(results); !parts.rows.empty()) body += html_table(parts);
    body += folded("Spec", fmt::format("<pre>{}</pre>\n", html_escaped(spec)));
    return html_page(results.name, body);
}

}  // namespace convoy
