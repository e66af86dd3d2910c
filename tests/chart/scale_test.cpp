#include "chart/scale.hpp"

#include <catch2/catch.hpp>

using namespace convoy;

namespace {

std::vector<std::string> labels(const Scale& scale) {
    std::vector<std::string> all;
    for (const auto& tick : scale.ticks) all.push_back(tick.label);
    return all;
}

using Labels = std::vector<std::string>;

}  // namespace

TEST_CASE("a linear scale has round ticks that cover the values") {
    const auto scale = scale_of(ScaleKind::linear, 0.0, 23.0, 6);
    CHECK(scale.low == 0.0);
    CHECK(scale.high == 25.0);
    CHECK(labels(scale) == Labels{"0", "5", "10", "15", "20", "25"});
    CHECK(labels(scale_of(ScaleKind::linear, 0.93, 0.994, 5)) ==
          Labels{"0.92", "0.94", "0.96", "0.98", "1.00"});
    CHECK(labels(scale_of(ScaleKind::linear, 0.0, 34000.0, 5)) == Labels{"0", "10k", "20k", "30k", "40k"});
    CHECK(labels(scale_of(ScaleKind::linear, -1.0, 1.0, 5)) == Labels{"-1.0", "-0.5", "0", "0.5", "1.0"});
    CHECK(labels(scale_of(ScaleKind::linear, 0.0, 2.0, 6, true)) == Labels{"0", "1", "2"});
}

TEST_CASE("a scale never has more ticks than asked for") {
    for (const auto kind : {ScaleKind::linear, ScaleKind::logarithmic}) {
        for (const double least : {0.0013, 0.4, 1.0, 37.0}) {
            for (const double factor : {1.0, 1.0001, 1.7, 9.0, 130.0, 1e7, 1e40}) {
                for (const std::size_t most : {3U, 4U, 6U, 11U}) {
                    const auto scale = scale_of(kind, least, least * factor, most);
                    INFO(least << " to " << least * factor << " with " << most);
                    CHECK(scale.ticks.size() <= most);
                    CHECK(scale.ticks.size() >= 2);
                    CHECK(scale.low <= least * (1.0 + 1e-9));
                    CHECK(scale.high >= least * factor * (1.0 - 1e-9));
                    CHECK(scale.low < scale.high);
                    CHECK(scale.ticks.front().value == scale.low);
                    CHECK(scale.ticks.back().value == Approx(scale.high));
                }
            }
        }
    }
}

TEST_CASE("a logarithmic scale has ticks at 1, 2 and 5, or at powers of ten") {
    CHECK(labels(scale_of(ScaleKind::logarithmic, 3.0, 40.0, 6)) == Labels{"2", "5", "10", "20", "50"});
    CHECK(labels(scale_of(ScaleKind::logarithmic, 3.0, 4000.0, 6)) ==
          Labels{"1", "10", "100", "1000", "10k"});
    const auto scale = scale_of(ScaleKind::logarithmic, 1.0, 100.0, 3);
    CHECK(scale.place(10.0) == Approx(0.5));
    CHECK(scale.place(0.0) == 0.0);
    CHECK(scale.place(1e9) == 1.0);
}

TEST_CASE("a scale at given values has these ticks only") {
    const auto scale = scale_at(ScaleKind::logarithmic, {4, 1, 2, 2});
    CHECK(labels(scale) == Labels{"1", "2", "4"});
    CHECK(scale.place(2.0) == Approx(0.5));
    const auto one = scale_at(ScaleKind::linear, {3});
    CHECK(labels(one) == Labels{"3"});
    CHECK(one.place(3.0) == Approx(0.5));
    CHECK(scale_at(ScaleKind::logarithmic, {4}).place(4.0) == Approx(0.5));
}

TEST_CASE("extreme values make a scale") {
    for (const auto kind : {ScaleKind::linear, ScaleKind::logarithmic}) {
        for (const double value : {5e-324, 1e-310, 1e300, 1.7e308}) {
            const auto scale = scale_of(kind, value, value, 5);
            CHECK(scale.low < scale.high);
            CHECK(scale.ticks.size() >= 2);
        }
    }
    CHECK(scale_of(ScaleKind::linear, -1.7e308, 1.7e308, 5).place(0.0) == Approx(0.5));
    CHECK(scale_of(ScaleKind::linear, 1e18, 1e18 + 200.0, 5).ticks.size() <= 5);
}

TEST_CASE("numbers of labels are short") {
    CHECK(short_number(0.25) == "0.25");
    CHECK(short_number(1244.34) == "1244");
    CHECK(short_number(16754.0) == "16.8k");
    CHECK(short_number(-3.2e6) == "-3200k");
    CHECK(short_number(0.0) == "0");
}
