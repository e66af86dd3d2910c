#include "report/evaluation_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "measure/durations.hpp"
#include "report/columns.hpp"

namespace convoy {
namespace {

using namespace columns;

/// counts[label][predicted]
std::vector<std::vector<std::int64_t>> confusion(const Evaluation& evaluation) {
    const auto classes = static_cast<std::size_t>(evaluation.classes);
    std::vector<std::vector<std::int64_t>> counts(classes, std::vector<std::int64_t>(classes, 0));
    for (const auto& prediction : evaluation.predictions) {
        ++counts.at(static_cast<std::size_t>(prediction.label))
              .at(static_cast<std::size_t>(prediction.predicted));
    }
    return counts;
}

/// part / whole as a cell; absent where there is no whole.
Cell share(std::int64_t part, std::int64_t whole) {
    if (whole == 0) return std::monostate{};
    return static_cast<double>(part) / static_cast<double>(whole);
}

/// The examples of one class.
struct ClassTotals {
    std::int64_t examples = 0, correct = 0;
    std::int64_t named = 0;  ///< predicted as this class
};

std::vector<ClassTotals> totals_of(const Evaluation& evaluation) {
    std::vector<ClassTotals> totals(static_cast<std::size_t>(evaluation.classes));
    for (const auto& prediction : evaluation.predictions) {
        auto& label = totals.at(static_cast<std::size_t>(prediction.label));
        ++label.examples;
        if (prediction.label == prediction.predicted) ++label.correct;
        ++totals.at(static_cast<std::size_t>(prediction.predicted)).named;
    }
    return totals;
}

Cell mean_of_classes(const std::vector<ClassTotals>& classes) {
    double sum = 0.0;
    std::int64_t present = 0;
    for (const auto& each : classes) {
        if (each.examples == 0) continue;
        sum += static_cast<double>(each.correct) / static_cast<double>(each.examples);
        ++present;
    }
    return present == 0 ? Cell() : Cell(sum / static_cast<double>(present));
}

Cell kappa_of(const std::vector<ClassTotals>& classes) {
    double examples = 0.0;
    double correct = 0.0;
    double by_chance = 0.0;
    for (const auto& each : classes) {
        examples += static_cast<double>(each.examples);
        correct += static_cast<double>(each.correct);
        by_chance += static_cast<double>(each.examples) * static_cast<double>(each.named);
    }
    const double expected = by_chance / (examples * examples);
    if (examples == 0.0 || expected == 1.0) return std::monostate{};
    return (correct / examples - expected) / (1.0 - expected);
}

}  // namespace

Table score_table(const Evaluation& evaluation) {
    const auto classes = totals_of(evaluation);
    std::int64_t correct = 0;
    for (const auto& each : classes) correct += each.correct;
    const auto examples = std::ssize(evaluation.predictions);
    return {.name = "score",
            .title = "Test set",
            .columns = {count("examples"), count("correct"), score("accuracy"), score("loss"),
                        score("average_accuracy"), score("kappa")},
            .rows = {{examples, correct, share(correct, examples), evaluation.loss, mean_of_classes(classes),
                      kappa_of(classes)}}};
}

Table class_table(const Evaluation& evaluation) {
    Table table{.name = "classes",
                .title = "Accuracy per class",
                .columns = {count("class"), count("examples"), count("correct"), score("accuracy"),
                            score("precision")},
                .rows = {}};
    std::int64_t number = 0;
    for (const auto& [examples, correct, named] : totals_of(evaluation))
        table.rows.push_back({number++, examples, correct, share(correct, examples), share(correct, named)});
    return table;
}

Table confusion_table(const Evaluation& evaluation) {
    Table table{.name = "confusion",
                .title = "Confusion: rows are labels, columns predictions",
                .columns = {count("label")},
                .rows = {}};
    const auto counts = confusion(evaluation);
    for (std::size_t label = 0; label < counts.size(); ++label) {
        table.columns.push_back(count(fmt::format("as_{}", label)));
        std::vector<Cell> row{static_cast<std::int64_t>(label)};
        for (const auto cell : counts[label]) row.emplace_back(cell);
        table.rows.push_back(std::move(row));
    }
    return table;
}

Table quantity_table(const Evaluation& evaluation) {
    Table table{.name = "quantity",
                .title = "Errors of the quantity that labels are bins of",
                .columns = {words("quantity"), score("bin_width"), score("mean_error"), score("median_error"),
                            count("outliers"), score("outlier_share"), score("outlier_bound"),
                            score("outlier_offset")},
                .rows = {}};
    if (!evaluation.scale || evaluation.predictions.empty()) return table;
    const auto& scale = *evaluation.scale;
    std::vector<double> errors;
    std::int64_t outliers = 0;
    for (const auto& prediction : evaluation.predictions) {
        const auto predicted = scale.centre(prediction.predicted);
        errors.push_back(std::abs(predicted - prediction.quantity));
        if (scale.is_outlier(prediction.quantity, predicted)) ++outliers;
    }
    const auto count = std::ssize(errors);
    const auto mean = std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(count);
    table.rows.push_back({scale.quantity, scale.width, mean, median(std::move(errors)), outliers,
                          share(outliers, count), scale.outlier_bound, scale.outlier_offset});
    return table;
}

Table predictions_table(const Evaluation& evaluation) {
    Table table{.name = "predictions",
                .title = "Predictions",
                .columns = {count("example"), count("label"), count("predicted"), score("probability")},
                .rows = {}};
    const auto& scale = evaluation.scale;
    if (scale) {
        table.columns.push_back(score(scale->quantity));
        table.columns.push_back(score("predicted_" + scale->quantity));
    }
    for (const auto& prediction : evaluation.predictions) {
        auto& row = table.rows.emplace_back(std::vector<Cell>{
            static_cast<std::int64_t>(prediction.example), static_cast<std::int64_t>(prediction.label),
            static_cast<std::int64_t>(prediction.predicted), prediction.probability});
        if (!scale) continue;
        row.emplace_back(prediction.quantity);
        row.emplace_back(scale->centre(prediction.predicted));
    }
    return table;
}

}  // namespace convoy
