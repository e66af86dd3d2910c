#include <algorithm>
#include <map>
#include <set>

#include "chart/drawing.hpp"
#include "measure/durations.hpp"
#include "replication/replication_page.hpp"

namespace convoy {
namespace {

/// A system's runs as dots, with a line through the medians.
ChartSeries series_of(const SystemRuns& system, const ReplicatedFigure& figure, const Measure& measure) {
    ChartSeries series{.label = system.system};
    const auto* terms = measure.of(system.system);
    if (terms == nullptr) return series;
    std::map<std::int64_t, std::vector<double>> by_batch;
    for (const auto& run : system.runs) {
        const auto value = measured(run, *terms, figure.row);
        if (!value) continue;
        auto& marks = run.verdict == Verdict::quiet ? series.dots : series.rings;
        marks.push_back({static_cast<double>(run.batch_size), *value * figure.factor});
        by_batch[run.batch_size].push_back(*value * figure.factor);
    }
    for (const auto& [batch, values] : by_batch)
        series.line.push_back({static_cast<double>(batch), median(values)});
    return series;
}

std::vector<double> batches_of(const OwnRuns& runs) {
    std::set<double> batches;
    for (const auto* system : {&runs.a, &runs.b})
        for (const auto& run : system->runs) batches.insert(static_cast<double>(run.batch_size));
    return {batches.begin(), batches.end()};
}

}  // namespace

std::vector<Drawing> replication_drawings(const Replication& replication) {
    std::vector<Drawing> drawings;
    const auto& runs = replication.runs;
    const auto batches = batches_of(runs);
    const bool positive = std::ranges::all_of(batches, [](double batch) { return batch > 0.0; });
    for (const auto& figure : replication.spec.figures) {
        const auto& measure = replication.spec.measures.at(figure.measure);
        XyChart chart{
            .title = figure.title,
            .description = "Each run is a dot, hollow where it is not quiet; the lines are medians.",
            .x = {.title = "batch size, all nodes together",
                  .kind = positive ? ScaleKind::logarithmic : ScaleKind::linear,
                  .ticks_at = batches},
            .y = {.title = figure.axis},
            .series = {}};
        for (const auto* system : {&runs.a, &runs.b}) {
            auto series = series_of(*system, figure, measure);
            series.tone = tone_of(chart.series.size());
            if (!series.line.empty()) chart.series.push_back(std::move(series));
        }
        if (!chart.series.empty()) drawings.push_back(drawn(chart));
    }
    return drawings;
}

std::string replication_picture(const Replication& replication) {
    const auto drawings = replication_drawings(replication);
    return drawings.empty() ? std::string() : svg_document(drawings);
}

}  // namespace convoy
