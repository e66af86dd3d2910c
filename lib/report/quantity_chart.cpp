#include "report/quantity_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace convoy {
namespace {

constexpr std::size_t most_dots = 4000;

/// The line from one end of the scale to the other on which a prediction is the true value and so many bounds
/// of outliers.
ChartSeries line_at(const LabelScale& scale, std::int64_t classes, double bounds) {
    ChartSeries series{.tone = Tone::grey, .dashed = bounds != 0.0, .faint = true};
    for (const auto truth : {scale.first, scale.first + scale.width * static_cast<double>(classes)}) {
        const auto error = bounds * scale.outlier_bound * std::abs(scale.outlier_offset + truth);
        series.line.push_back({truth, truth + error});
    }
    return series;
}

}  // namespace

XyChart quantity_chart(const Evaluation& evaluation) {
    const auto& scale = evaluation.scale.value();
    const auto all = evaluation.predictions.size();
    const auto shown = std::min(all, most_dots);
    XyChart chart{
        .title = fmt::format("True and predicted {}", scale.quantity),
        .description = "One dot for each test example. Line: both are equal. Dashed: bounds of outliers.",
        .x = {.title = fmt::format("true {}", scale.quantity), .from_zero = false},
        .y = {.title = fmt::format("predicted {}", scale.quantity), .from_zero = false},
        .series = {}};
    if (shown < all) chart.description += fmt::format(" {} of {} examples are shown.", shown, all);
    for (const auto bounds : {-1.0, 0.0, 1.0})
        chart.series.push_back(line_at(scale, evaluation.classes, bounds));
    ChartSeries dots{.tone = Tone::blue};
    for (std::size_t i = 0; i < shown; ++i) {
        const auto& prediction = evaluation.predictions[i * all / shown];
        dots.dots.push_back({prediction.quantity, scale.centre(prediction.predicted)});
    }
    chart.series.push_back(std::move(dots));
    return chart;
}

}  // namespace convoy
