#include "report/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>

#include "base/error.hpp"
#include "report/figures.hpp"
#include "report/tables.hpp"
#include "report/thinned.hpp"

namespace convoy {

namespace {

constexpr std::size_t most_points = 240;    ///< of a line: what 480 pixels show
constexpr std::size_t most_marks = 40;      ///< of a line: more would run into one another
constexpr std::size_t few_epochs = 2;       ///< which tell too little of accuracy by themselves
constexpr std::size_t most_node_lines = 6;  ///< that have a line of their own
constexpr std::size_t most_bars = 10;
constexpr double bytes_per_mb = 1e6;

/// Adds the plot unless there is nothing in it.
void add_unless_empty(std::vector<Plot>& plots, LinePlot plot) {
    std::erase_if(plot.series, [](const PlotSeries& series) { return series.points.empty(); });
    if (!plot.series.empty()) plots.emplace_back(std::move(plot));
}

PlotSeries epoch_series(const RunResults& results, std::string title,
                        std::optional<double> EpochRecord::*figure) {
    PlotSeries series{.title = std::move(title), .points = {}, .marks = results.epochs.size() <= most_marks};
    for (const auto& epoch : results.epochs) {
        const auto& value = epoch.*figure;
        if (value && std::isfinite(*value))
            series.points.push_back({static_cast<double>(epoch.epoch), *value, {}});
    }
    series.points = thinned(series.points, most_points);
    return series;
}

/// A figure of each step, at its place in its epoch: the first epoch goes from 0 to 1.
PlotSeries step_series(const RunResults& results, double (*figure)(const ClusterStep&)) {
    const auto steps = cluster_steps(results.steps, results.nodes);
    std::map<std::int64_t, double> steps_of_epoch;
    for (const auto& step : steps) steps_of_epoch[step.epoch] += 1.0;
    PlotSeries series{.title = "train, by step", .points = {}, .faint = true};
    std::map<std::int64_t, double> done;
    for (const auto& step : steps) {
        const auto at = (done[step.epoch] += 1.0) / steps_of_epoch[step.epoch];
        const auto value = figure(step);
        if (step.examples > 0 && std::isfinite(value))
            series.points.push_back({static_cast<double>(step.epoch - 1) + at, value, {}});
    }
    series.points = thinned(series.points, most_points);
    return series;
}

double loss_of(const ClusterStep& step) {
    return step.loss;
}

double accuracy_of(const ClusterStep& step) {
    return static_cast<double>(step.correct) / static_cast<double>(step.examples);
}

/// The longest rows of a table of operators that are of training and ran by themselves.
BarPlot bars_of(const Table& table, std::string name, std::string title) {
    const auto position = [&table](std::string_view column) {
        const auto found = std::ranges::find(table.columns, column, &Column::name);
        return static_cast<std::size_t>(found - table.columns.begin());
    };
    const auto share = position("share");
    const auto own_name = position("name");  // these are past the last where operators are summed by kind
    const auto kind = position("kind");
    const auto label_of = [&](const std::vector<Cell>& row) {
        auto label = std::get<std::string>(row[1]);
        if (own_name < row.size()) label += " " + std::get<std::string>(row[own_name]);
        return label;
    };
    std::map<std::string, int> rows_named;
    for (const auto& row : table.rows)
        if (row[0] == Cell("train") && std::holds_alternative<double>(row[share]))
            ++rows_named[label_of(row)];
    BarPlot plot{.name = std::move(name), .title = std::move(title), .x_label = "% of step time", .bars = {}};
    for (const auto& row : table.rows) {
        const auto* value = std::get_if<double>(&row[share]);
        if (row[0] != Cell("train") || value == nullptr || plot.bars.size() == most_bars) continue;
        auto label = label_of(row);
        if (kind < row.size() && rows_named[label] > 1 && row[kind] != Cell(""))
            label += fmt::format(" ({})", std::get<std::string>(row[kind]));
        plot.bars.push_back({std::move(label), *value});
    }
    return plot;
}

std::vector<Plot> unless_empty(BarPlot plot) {
    if (plot.bars.empty()) return {};
    return {std::move(plot)};
}

using Points = std::vector<PlotPoint>;

/// A figure of every sample.
PointsByNode readings(const RunResults& results, const std::function<double(const SystemSample&)>& figure) {
    PointsByNode nodes;
    for (const auto& sample : results.system)
        nodes[sample.node].push_back({sample.time_s, figure(sample), {}});
    return nodes;
}

/// How fast a count grew between two samples of a node; nothing where it is not known, or never grew, as on a
/// node alone.
PointsByNode rates(const RunResults& results, std::optional<std::uint64_t> SystemSample::*count) {
    PointsByNode nodes;
    const auto bytes = [count](const SystemSample& sample) {
        return static_cast<double>((sample.*count).value_or(0));
    };
    if (std::ranges::none_of(results.system, [&](const auto& sample) { return bytes(sample) > 0.0; }))
        return nodes;
    const SystemSample* before = nullptr;
    for (const auto& sample : results.system) {
        if (before != nullptr && before->node == sample.node && before->time_s < sample.time_s) {
            const auto grown = bytes(sample) - bytes(*before);
            nodes[sample.node].push_back(
                {sample.time_s, grown / bytes_per_mb / (sample.time_s - before->time_s), {}});
        }
        before = &sample;
    }
    return nodes;
}

std::vector<PlotSeries> node_series(const PointsByNode& nodes) {
    std::vector<PlotSeries> series;
    if (nodes.size() <= most_node_lines) {
        for (const auto& [node, points] : nodes) {
            series.push_back({.title = fmt::format("node {}", node),
                              .points = thinned(points, most_points),
                              .marks = points.size() <= most_marks});
        }
        return series;
    }
    Points all;
    for (const auto& [node, points] : nodes) all.insert(all.end(), points.begin(), points.end());
    series = {{.title = "greatest", .points = {}},
              {.title = fmt::format("mean of {} nodes", nodes.size()), .points = {}},
              {.title = "least", .points = {}}};
    for (const auto& bin : binned(all, most_points / 2)) {
        series[0].points.push_back({bin.x, bin.greatest, {}});
        series[1].points.push_back({bin.x, bin.mean, {}});
        series[2].points.push_back({bin.x, bin.least, {}});
    }
    return series;
}

struct NamedPlots {
    std::string_view table;
    std::vector<Plot> (*make)(const RunResults&);
};

}  // namespace

std::vector<Plot> curve_plots(const RunResults& results) {
    std::vector<Plot> plots;
    add_unless_empty(plots, {.name = "loss",
                             .title = "Loss",
                             .x_label = "epoch",
                             .y_label = "mean per example",
                             .series = {step_series(results, loss_of),
                                        epoch_series(results, "train", &EpochRecord::train_loss),
                                        epoch_series(results, "validation", &EpochRecord::validation_loss),
                                        epoch_series(results, "test", &EpochRecord::test_loss)}});
    LinePlot accuracy{.name = "accuracy",
                      .title = "Accuracy",
                      .x_label = "epoch",
                      .y_label = "share of examples",
                      .series = {epoch_series(results, "train", &EpochRecord::train_accuracy),
                                 epoch_series(results, "validation", &EpochRecord::validation_accuracy),
                                 epoch_series(results, "test", &EpochRecord::test_accuracy)},
                      .y_is_share = true};
    // Steps go from guessing to their best, which would leave little of the axis to the epochs' differences.
    if (results.epochs.size() <= few_epochs)
        accuracy.series.insert(accuracy.series.begin(), step_series(results, accuracy_of));
    add_unless_empty(plots, std::move(accuracy));
    return plots;
}

std::vector<Plot> operator_plots(const RunResults& results) {
    return unless_empty(bars_of(operators_table(results), "operators", "Operators in training"));
}

std::vector<Plot> operator_total_plots(const RunResults& results) {
    return unless_empty(
        bars_of(operator_totals_table(results), "operator_totals", "Kinds of operators in training"));
}

std::vector<SystemReading> system_readings(const RunResults& results) {
    const auto cpu = [](const SystemSample& sample) { return sample.cpu_user_pct + sample.cpu_system_pct; };
    const auto memory = [](const SystemSample& sample) {
        return static_cast<double>(sample.resident_bytes) / bytes_per_mb;
    };
    return {{"cpu", "Processor", "% of one core", readings(results, cpu)},
            {"memory", "Resident memory", "MB", readings(results, memory)},
            {"sent", "Network: sent", "MB/s", rates(results, &SystemSample::sent_bytes)},
            {"received", "Network: received", "MB/s", rates(results, &SystemSample::received_bytes)}};
}

std::vector<Plot> system_plots(const RunResults& results) {
    std::vector<Plot> plots;
    for (const auto& reading : system_readings(results)) {
        add_unless_empty(plots, {.name = reading.name,
                                 .title = reading.title,
                                 .x_label = "s since the node began",
                                 .y_label = reading.unit,
                                 .series = node_series(reading.nodes)});
    }
    return plots;
}

std::vector<Plot> (*named_plots(std::string_view table))(const RunResults&) {
    static constexpr std::array<NamedPlots, 4> all{{{"epochs", curve_plots},
                                                    {"operators", operator_plots},
                                                    {"operator_totals", operator_total_plots},
                                                    {"system", system_plots}}};
    const auto* const found = std::ranges::find(all, table, &NamedPlots::table);
    if (found != all.end()) return found->make;
    throw UsageError(
        fmt::format("--plot: of the table \"{}\" there is no plot; name epochs, operators, operator_totals "
                    "or system with --table",
                    table));
}

std::vector<Plot> overlaid(std::span<const std::string> labels, std::span<const std::vector<Plot>> plots) {
    std::vector<Plot> all;
    for (std::size_t run = 0; run < plots.size(); ++run) {
        for (auto plot : plots[run]) {
            if (auto* bars = std::get_if<BarPlot>(&plot)) {
                bars->title += ": " + labels[run];
                all.push_back(std::move(plot));
                continue;
            }
            auto& lines = std::get<LinePlot>(plot);
            for (auto& series : lines.series) {
                series.title = labels[run] + ": " + series.title;
                series.faint = false;  // one grey line could not be told from another run's
            }
            const auto same = std::ranges::find_if(all, [&lines](const Plot& other) {
                const auto* known = std::get_if<LinePlot>(&other);
                return known != nullptr && known->name == lines.name;
            });
            if (same == all.end()) {
                all.push_back(std::move(plot));
            } else {
                auto& series = std::get<LinePlot>(*same).series;
                std::ranges::move(lines.series, std::back_inserter(series));
            }
        }
    }
    return all;
}

}  // namespace convoy
