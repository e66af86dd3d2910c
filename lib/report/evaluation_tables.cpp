#include "report/evaluation_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace

Table score_table(const Evaluation& evaluation) {
    const auto examples = static_cast<std::int64_t>(evaluation.predictions.size());
    const auto correct = std::ranges::count_if(evaluation.predictions,
                                               [](const Prediction& p) { return p.label == p.predicted; });
    return {
        .name = "score",
        .title = "Test set",
        .columns = {count("examples"), count("correct"), score("accuracy"), score("loss")},
        .rows = {{examples, static_cast<std::int64_t>(correct), share(correct, examples), evaluation.loss}}};
}

Table class_table(const Evaluation& evaluation) {
    const auto counts = confusion(evaluation);
    Table table{.name = "classes",
                .title = "Accuracy per class",
                .columns = {count("class"), count("examples"), count("correct"), score("accuracy"),
                            score("precision")},
                .rows = {}};
    for (std::size_t c = 0; c < counts.size(); ++c) {
        std::int64_t examples = 0;
        std::int64_t named = 0;
        for (std::size_t other = 0; other < counts.size(); ++other) {
            examples += counts[c][other];
            named += counts[other][c];
        }
        table.rows.push_back({static_cast<std::int64_t>(c), examples, counts[c][c],
                              share(counts[c][c], examples), share(counts[c][c], named)});
    }
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

Table predictions_table(const Evaluation& evaluation) {
    Table table{.name = "predictions",
                .title = "Predictions",
                .columns = {count("example"), count("label"), count("predicted"), score("probability")},
                .rows = {}};
    for (const auto& prediction : evaluation.predictions) {
        table.rows.push_back({static_cast<std::int64_t>(prediction.example),
                              static_cast<std::int64_t>(prediction.label),
                              static_cast<std::int64_t>(prediction.predicted), prediction.probability});
    }
    return table;
}

}  // namespace convoy
