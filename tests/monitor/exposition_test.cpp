#include "monitor/exposition.hpp"

#include <cmath>
#include <limits>

#include "promtool.hpp"

using namespace convoy;

namespace {

constexpr MetricInfo heat{"heat_celsius", MetricType::gauge, "celsius", "place", "Heat of a place"};
constexpr MetricInfo rains{"rains_total", MetricType::counter, "", "", "Rains so far"};

}  // namespace

TEST_CASE("metrics are written in the text format of Prometheus") {
    const std::vector<MetricFamily> families{{&heat, {{{{"place", "in"}}, 20.5}, {{{"place", "out"}}, -3.0}}},
                                             {&rains, {{{}, 7.0}}}};
    CHECK(exposition_text(families, {}) ==
          "# HELP heat_celsius Heat of a place\n"
          "# TYPE heat_celsius gauge\n"
          "heat_celsius{place=\"in\"} 20.5\n"
          "heat_celsius{place=\"out\"} -3\n"
          "# HELP rains_total Rains so far\n"
          "# TYPE rains_total counter\n"
          "rains_total 7\n");
    CHECK(exposition_text(std::vector<MetricFamily>{{&rains, {{{}, 1e17}}}}, {{"run", "a"}}) ==
          "# HELP rains_total Rains so far\n# TYPE rains_total counter\nrains_total{run=\"a\"} 1e+17\n");
    CHECK(exposition_text(std::vector<MetricFamily>{{&rains, {}}}, {}).empty());
}

TEST_CASE("a parser of Prometheus reads any text in a label, and numbers that are not finite") {
    const std::string text = "a\\b\"c\nd{}=,\xc3\xa9";
    const auto infinite = std::numeric_limits<double>::infinity();
    const auto written = exposition_text(std::vector<MetricFamily>{{&heat,
                                                                    {{{{"place", text}}, std::nan("")},
                                                                     {{{"place", "hot"}}, infinite},
                                                                     {{{"place", "cold"}}, -infinite}}}},
                                         {{"run", text}});
    CHECK(written ==
          "# HELP heat_celsius Heat of a place\n"
          "# TYPE heat_celsius gauge\n"
          "heat_celsius{run=\"a\\\\b\\\"c\\nd{}=,\xc3\xa9\",place=\"a\\\\b\\\"c\\nd{}=,\xc3\xa9\"} NaN\n"
          "heat_celsius{run=\"a\\\\b\\\"c\\nd{}=,\xc3\xa9\",place=\"hot\"} +Inf\n"
          "heat_celsius{run=\"a\\\\b\\\"c\\nd{}=,\xc3\xa9\",place=\"cold\"} -Inf\n");
    test::require_good_metrics(written);
}

TEST_CASE("a label that is not UTF-8 becomes UTF-8, as the format asks") {
    const auto written = exposition_text(std::vector<MetricFamily>{{&rains, {{{}, 1.0}}}}, {{"run",
                                                                                             "a\xff"
                                                                                             "b"}});
    CHECK(written.find("rains_total{run=\"a\\\\xffb\"} 1\n") != std::string::npos);
    test::require_good_metrics(written);
}
