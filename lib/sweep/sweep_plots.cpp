#include "sweep/sweep_plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "measure/durations.hpp"
#include "report/csv.hpp"

namespace convoy {

namespace {

constexpr std::string_view batch_field = "batch_size";
constexpr double us_per_ms = 1e3;

/// Step times in ms by batch size; 0 where it is no field of the grid.
using TimesByBatch = std::map<double, std::vector<double>>;

struct Setting {
    std::string label;  ///< of the fields other than batch_size: "nodes=2, strategy.overlap=true"
    TimesByBatch times;
};

/// In the order of the rows.
std::vector<Setting> settings_with_times(CsvRows& runs) {
    const auto fields = runs.column("repeat");  // what stands before it varies
    const auto state = runs.column("state");
    const auto step_time = runs.column("step_p50_us");
    std::vector<Setting> settings;
    while (runs.next()) {
        const auto time = runs.figure(step_time);
        if (runs.text(state) != "done" || !time) continue;
        std::string label;
        double batch = 0.0;
        for (std::size_t field = 0; field < fields; ++field) {
            const auto& name = runs.header()[field];
            if (name == batch_field) {
                batch = runs.amount(field);
            } else {
                label += fmt::format("{}{}={}", label.empty() ? "" : ", ", name, runs.text(field));
            }
        }
        auto found = std::ranges::find(settings, label, &Setting::label);
        if (found == settings.end()) found = settings.insert(found, Setting{label, {}});
        found->times[batch].push_back(*time / us_per_ms);
    }
    return settings;
}

/// Median, with a bar from the least to the greatest where there are several.
PlotPoint point_of(double batch, std::vector<double> times) {
    std::ranges::sort(times);
    PlotPoint point{.x = batch, .y = quantile(std::span<const double>(times), 0.5), .low_high = {}};
    if (times.size() > 1) point.low_high.emplace(times.front(), times.back());
    return point;
}

PlotSeries line_of(const Setting& setting) {
    PlotSeries series{.title = setting.label.empty() ? "median of the repeats" : setting.label,
                      .points = {},
                      .marks = true};
    for (const auto& [batch, times] : setting.times) series.points.push_back(point_of(batch, times));
    return series;
}

BarPlot bars_of(const std::vector<Setting>& settings) {
    BarPlot plot{.name = "step_time", .title = "Step time by setting (median)", .x_label = "ms", .bars = {}};
    for (const auto& setting : settings) {
        const auto& times = setting.times.begin()->second;
        plot.bars.push_back({setting.label.empty() ? "every run" : setting.label, point_of(0.0, times).y});
    }
    return plot;
}

}  // namespace

std::vector<Plot> step_time_plots(std::istream& text, const std::string& source) {
    CsvRows runs(text, source);
    const auto settings = settings_with_times(runs);
    if (settings.empty()) return {};
    if (std::ranges::find(runs.header(), batch_field) == runs.header().end()) return {bars_of(settings)};
    LinePlot plot{.name = "step_time",
                  .title = "Step time by batch size",
                  .x_label = "batch size, all nodes together",
                  .y_label = "ms",
                  .series = {},
                  .x_logarithmic = true};
    for (const auto& setting : settings) plot.series.push_back(line_of(setting));
    return {plot};
}

}  // namespace convoy
