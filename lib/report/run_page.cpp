#include "report/run_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "report/columns.hpp"
#include "report/figure.hpp"
#include "report/html.hpp"
#include "report/measurement.hpp"
#include "report/plots.hpp"
#include "report/tables.hpp"

namespace convoy {

namespace {

std::string folded(std::string_view title, const std::string& html) {
    return fmt::format("<details><summary>{}</summary>\n{}</details>\n", html_escaped(title), html);
}

std::string value_text(const nlohmann::json& value) {
    return value.is_string() ? value.get<std::string>() : json_text(value);
}

void add_facts(Table& table, const std::string& name, const nlohmann::json& value) {
    const bool list = std::ranges::none_of(value, [](const auto& part) { return part.is_structured(); });
    if (value.is_object() || (value.is_array() && !list)) {
        // items() names the elements of a list by their position.
        for (const auto& [key, part] : value.items())
            add_facts(table, name.empty() ? key : fmt::format("{}_{}", name, key), part);
        return;
    }
    std::string text;
    if (value.is_array()) {
        for (const auto& part : value) text += (text.empty() ? "" : ", ") + value_text(part);
    } else {
        text = value_text(value);
    }
    table.columns.push_back(columns::words(name));
    table.rows.front().emplace_back(text);
}

}  // namespace

Table facts_of_json(std::string title, const std::string& text) {
    Table table{.name = "facts", .title = std::move(title), .columns = {}, .rows = {{}}};
    add_facts(table, "", nlohmann::json::parse(text, nullptr, false));
    return table;
}

std::string run_page(const RunResults& results, const std::string& spec, const std::string& environment,
                     const Gnuplot& gnuplot) {
    std::vector<Plot> plots;
    for (auto* const make : {curve_plots, operator_plots, system_plots})
        std::ranges::move(make(results), std::back_inserter(plots));
    const auto measurement = measurement_of(results);
    const bool warns = measurement && measurement->verdict != Verdict::quiet;
    std::string body = html_lines(measurement_lines(results), warns) + html_figures(plots, gnuplot) +
                       html_facts(final_table(results));
    for (auto* const make : {phases_table, input_pipeline_table, epochs_table, operator_totals_table,
                             network_table, system_table, memory_table, utilisation_table, measurement_table})
        body += html_table(make(results));
    body += html_facts(facts_of_json("Environment", environment));
    body += folded("Every operator", html_table(operators_table(results)));
    body += folded("Spec", fmt::format("<pre>{}</pre>\n", html_escaped(spec)));
    return html_page(fmt::format("{}, run {}", results.name, results.run_id), body);
}

}  // namespace convoy
