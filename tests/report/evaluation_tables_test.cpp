#include "report/evaluation_tables.hpp"

#include <catch2/catch.hpp>
#include <variant>

#include "report/quantity_chart.hpp"

using namespace convoy;

namespace {

/// counts[label][predicted]
Evaluation evaluation_of(const std::vector<std::vector<int>>& counts) {
    Evaluation evaluation{};
    evaluation.classes = std::ssize(counts);
    for (std::size_t label = 0; label < counts.size(); ++label)
        for (std::size_t predicted = 0; predicted < counts.size(); ++predicted)
            for (int i = 0; i < counts[label][predicted]; ++i) {
                auto& prediction = evaluation.predictions.emplace_back();
                prediction.label = static_cast<std::int32_t>(label);
                prediction.predicted = static_cast<std::int32_t>(predicted);
            }
    return evaluation;
}

/// Labels are bins of 0.1 from 1: predicted as 1.05, 1.15 or 1.65.
Evaluation redshifts() {
    Evaluation evaluation{};
    evaluation.classes = 8;
    evaluation.scale = LabelScale{.quantity = "z", .first = 1.0, .width = 0.1};
    const auto add = [&](double truth, std::int32_t label, std::int32_t predicted) {
        evaluation.predictions.push_back(
            {.label = label, .predicted = predicted, .probability = 1.0, .quantity = truth});
    };
    add(1.04, 0, 0);  // |dz| = 0.01
    add(1.02, 0, 1);  // 0.13
    add(1.09, 0, 6);  // 0.56, which is 0.268 (1 + z)
    add(1.35, 3, 6);  // 0.30, which is 0.1277 (1 + z)
    return evaluation;
}

double number(const Cell& cell) {
    return std::get<double>(cell);
}

}  // namespace

TEST_CASE("a score has the mean of the classes' accuracies, and the agreement beyond chance") {
    // 35 of 50 agree; chance: (25 x 30 + 25 x 20) / 2500 = 0.5.
    const auto even = score_table(evaluation_of({{20, 5}, {10, 15}})).rows.at(0);
    CHECK(number(even.at(2)) == Approx(0.7));
    CHECK(number(even.at(4)) == Approx((20.0 / 25 + 15.0 / 25) / 2));
    CHECK(number(even.at(5)) == Approx(0.4));
    // 8 of 10 agree; the second class has 1 of 2. Chance: (8 x 8 + 2 x 2) / 100 = 0.68.
    const auto uneven = score_table(evaluation_of({{7, 1}, {1, 1}})).rows.at(0);
    CHECK(number(uneven.at(4)) == Approx((7.0 / 8 + 1.0 / 2) / 2));
    CHECK(number(uneven.at(5)) == Approx((0.8 - 0.68) / (1.0 - 0.68)));
}

TEST_CASE("a class without examples does not count in the mean, and one class alone has no kappa") {
    const auto row = score_table(evaluation_of({{3, 1, 0}, {0, 2, 0}, {0, 0, 0}})).rows.at(0);
    CHECK(number(row.at(4)) == Approx((0.75 + 1.0) / 2));
    const auto one = score_table(evaluation_of({{5, 0}, {0, 0}})).rows.at(0);
    CHECK(std::holds_alternative<std::monostate>(one.at(5)));
}

TEST_CASE("the table of classes has recall and precision") {
    const auto rows = class_table(evaluation_of({{20, 5}, {10, 15}})).rows;
    CHECK(number(rows.at(0).at(3)) == Approx(0.8));
    CHECK(number(rows.at(0).at(4)) == Approx(20.0 / 30));
    CHECK(number(rows.at(1).at(3)) == Approx(0.6));
    CHECK(number(rows.at(1).at(4)) == Approx(0.75));
}

TEST_CASE("errors of a quantity are those of the centres of bins, and outliers count by 1 + z") {
    const auto table = quantity_table(redshifts());
    REQUIRE(table.rows.size() == 1);
    const auto& row = table.rows.at(0);
    CHECK(std::get<std::string>(row.at(0)) == "z");
    CHECK(number(row.at(1)) == Approx(0.1));
    CHECK(number(row.at(2)) == Approx((0.01 + 0.13 + 0.56 + 0.30) / 4));
    CHECK(number(row.at(3)) == Approx((0.13 + 0.30) / 2));
    CHECK(std::get<std::int64_t>(row.at(4)) == 1);
    CHECK(number(row.at(5)) == Approx(0.25));
    CHECK(number(row.at(6)) == 0.15);
    CHECK(quantity_table(evaluation_of({{1, 0}, {0, 1}})).rows.empty());
}

TEST_CASE("predictions have the quantity only where there is one") {
    CHECK(predictions_table(evaluation_of({{1, 0}, {0, 1}})).columns.size() == 4);
    const auto table = predictions_table(redshifts());
    CHECK(table.columns.at(4).key() == "z");
    CHECK(table.columns.at(5).key() == "predicted_z");
    CHECK(number(table.rows.at(2).at(4)) == 1.09);
    CHECK(number(table.rows.at(2).at(5)) == Approx(1.65));
}

TEST_CASE("the scatter has a dot for each example, the line of equals and the bounds of outliers") {
    const auto chart = quantity_chart(redshifts());
    REQUIRE(chart.series.size() == 4);
    // At z = 1 a prediction may be 0.15 (1 + 1) off, at z = 1.8 0.15 (1 + 1.8).
    CHECK(chart.series[0].line.at(0).y == Approx(0.7));
    CHECK(chart.series[1].line.at(1).x == Approx(1.8));
    CHECK(chart.series[1].line.at(1).y == Approx(1.8));
    CHECK(chart.series[2].line.at(1).y == Approx(1.8 + 0.42));
    REQUIRE(chart.series[3].dots.size() == 4);
    CHECK(chart.series[3].dots[1].x == 1.02);
    CHECK(chart.series[3].dots[1].y == Approx(1.15));
    auto many = redshifts();
    many.predictions.resize(9001, many.predictions.front());
    const auto thinned = quantity_chart(many);
    CHECK(thinned.series[3].dots.size() == 4000);
    CHECK(thinned.description.find("4000 of 9001") != std::string::npos);
}
