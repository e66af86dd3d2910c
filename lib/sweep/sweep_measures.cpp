#include "sweep/sweep_measures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sweep/setting_labels.hpp"

namespace convoy {

namespace {

constexpr double us_per_ms = 1e3, us_per_s = 1e6, bytes_per_mb = 1e6, percent = 100.0;

/// One column of the runs that are done.
std::vector<std::optional<double>> column_of(const SweepRows& sweep, std::string_view column,
                                             double divisor) {
    std::vector<std::optional<double>> values;
    for (const auto& row : sweep.rows) {
        const auto figure = row.result(column);
        values.push_back(figure ? std::optional(*figure / divisor) : std::nullopt);
    }
    return values;
}

bool varies_nodes(const SweepAxes& axes) {
    const auto is_nodes = [](const Factor& factor) { return factor.name == "nodes"; };
    return (axes.x && is_nodes(*axes.x)) || (axes.colour && is_nodes(*axes.colour)) ||
           std::ranges::any_of(axes.panels, is_nodes);
}

SweepMeasure efficiency_of(const SweepRows& sweep, const Scaling& scaling) {
    SweepMeasure measure{.name = "efficiency",
                         .title = fmt::format("Efficiency against {}", scaling.baseline()),
                         .description = "Speed-up, divided by the growth of the number of nodes.",
                         .axis = "%",
                         .ideal = IdealLine::level,
                         .values = {}};
    for (std::size_t row = 0; row < sweep.rows.size(); ++row)
        measure.values.push_back(scaling.efficiency_pct(row));
    return measure;
}

SweepMeasure step_time_of(const SweepRows& sweep, const SweepAxes& axes) {
    return {.name = "step_time",
            .title = "Step time by " + (axes.x ? field_words(axes.x->name) : "setting"),
            .description = "The median step of a run, each step as long as on its slowest node.",
            .axis = "ms",
            .values = column_of(sweep, step_time_column, us_per_ms)};
}

/// Exposed communication as a share of the training time of each run.
std::vector<std::optional<double>> exposed_shares(const SweepRows& sweep) {
    std::vector<std::optional<double>> values;
    for (const auto& row : sweep.rows) {
        const auto exposed_us = row.result(exposed_column);
        const auto train_s = row.result(train_time_column);
        const bool known = exposed_us && train_s && *train_s > 0.0;
        values.push_back(known ? std::optional(percent * *exposed_us / (*train_s * us_per_s)) : std::nullopt);
    }
    return values;
}

/// All quantities by which settings are compared. A quantity that is 0 in each run, as bytes on one node,
/// is left out.
std::vector<SweepMeasure> comparison_of(const SweepRows& sweep, const SweepAxes& axes) {
    std::vector<SweepMeasure> measures{step_time_of(sweep, axes)};
    const auto add = [&](SweepMeasure measure) {
        const auto tells = [](const auto& value) { return value.value_or(0.0) != 0.0; };
        if (std::ranges::any_of(measure.values, tells)) measures.push_back(std::move(measure));
    };
    add({.name = "exposed",
         .title = "Exposed communication",
         .description = "Time in which nodes wait for exchanges or start them, also for slower nodes; mean "
                        "over the nodes.",
         .axis = "% of the training time",
         .values = exposed_shares(sweep)});
    add({.name = "sent",
         .title = "Bytes sent",
         .description = "The whole run, of the node that sends most.",
         .axis = "MB",
         .values = column_of(sweep, sent_column, bytes_per_mb)});
    add({.name = "memory",
         .title = "Peak memory",
         .description = "Of the node that takes most.",
         .axis = "MB",
         .values = column_of(sweep, memory_column, bytes_per_mb)});
    add({.name = "accuracy",
         .title = "Test accuracy",
         .description = "At the end of the run.",
         .axis = "%",
         .values = column_of(sweep, accuracy_column, 1.0 / percent)});
    return measures;
}

}  // namespace

std::vector<SweepMeasure> measures_of(const SweepRows& sweep, const SweepAxes& axes) {
    if (!varies_nodes(axes)) {
        if (!axes.x) return comparison_of(sweep, axes);
        return {step_time_of(sweep, axes)};
    }
    std::vector<SweepMeasure> measures{{.name = "throughput",
                                        .title = "Throughput",
                                        .description = "All nodes together.",
                                        .axis = "examples/s",
                                        .values = column_of(sweep, throughput_column, 1.0)}};
    const auto scaling = axes.x ? scaling_of(sweep) : std::nullopt;
    if (!scaling) return measures;
    measures.push_back(
        {.name = "speedup",
         .title = fmt::format("Speed-up over {}", scaling->baseline()),
         .description = fmt::format("Throughput, divided by the median of {} with the same other settings.",
                                    scaling->baseline()),
         .axis = "times",
         .ideal = IdealLine::grows,
         .values = scaling->speedups});
    measures.push_back(efficiency_of(sweep, *scaling));
    return measures;
}

}  // namespace convoy
