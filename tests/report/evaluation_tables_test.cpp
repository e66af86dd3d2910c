#include "report/evaluation_tables.hpp"

#include <catch2/catch.hpp>
#include <variant>

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
