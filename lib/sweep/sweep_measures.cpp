#include "sweep/sweep_measures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sweep/setting_labels.hpp"

namespace convoy {

namespace {

constexpr double us_per_ms = 1e3;

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

}  // namespace

std::vector<SweepMeasure> measures_of(const SweepRows& sweep, const SweepAxes& axes) {
    if (!varies_nodes(axes)) {
        return {{.name = "step_time",
                 .title = "Step time by " + (axes.x ? field_words(axes.x->name) : "setting"),
                 .description = "The median step of a run, each step as long as on its slowest node.",
                 .axis = "ms",
                 .values = column_of(sweep, step_time_column, us_per_ms)}};
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
