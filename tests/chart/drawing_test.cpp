#include "chart/drawing.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <regex>

#include "chart/chart_key.hpp"
#include "chart/dot_rows.hpp"
#include "chart/text_width.hpp"

using namespace convoy;
using Catch::Matchers::Contains;

namespace {

struct TextBox {
    std::string text;
    double left = 0.0, right = 0.0, top = 0.0, bottom = 0.0;
};

/// The texts of a drawing, with the room that text_width gives them.
std::vector<TextBox> texts_of(const std::string& elements) {
    static const std::regex text(
        "<text x=\"([-0-9.]+)\" y=\"([-0-9.]+)\"( text-anchor=\"([a-z]+)\")?>([^<]*)</text>");
    std::vector<TextBox> boxes;
    for (std::sregex_iterator found(elements.begin(), elements.end(), text), end; found != end; ++found) {
        const auto& match = *found;
        const double width = text_width(match[5].str());
        const double before = match[4] == "middle" ? width / 2.0 : match[4] == "end" ? width : 0.0;
        const double x = std::stod(match[1]) - before;
        const double base = std::stod(match[2]);
        if (width > 0.0) boxes.push_back({match[5], x, x + width, base - 11.0, base + 3.0});
    }
    return boxes;
}

void check_texts(const Drawing& drawing, std::size_t least) {
    const auto boxes = texts_of(drawing.elements);
    CHECK(boxes.size() >= least);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const auto& one = boxes[i];
        INFO("\"" << one.text << "\" in " << drawing.title);
        CHECK(one.left >= -0.6);
        CHECK(one.right <= drawing.width + 0.6);
        CHECK(one.top >= -0.6);
        CHECK(one.bottom <= drawing.height + 0.6);
        for (std::size_t k = 0; k < i; ++k) {
            const auto& other = boxes[k];
            INFO("and \"" << other.text << "\"");
            CHECK((one.left >= other.right - 0.6 || other.left >= one.right - 0.6 ||
                   one.top >= other.bottom - 0.1 || other.top >= one.bottom - 0.1));
        }
    }
}

XyChart lines(std::size_t count, double factor) {
    XyChart chart{.title = "Speed",
                  .description = "d",
                  .x = {.title = "nodes"},
                  .y = {.title = "examples/s"},
                  .series = {}};
    for (std::size_t i = 0; i < count; ++i) {
        ChartSeries series{.label = "strategy " + std::to_string(i), .tone = tone_of(i)};
        for (const double x : {1.0, 2.0, 4.0, 8.0})
            series.line.push_back({x, factor * (x + static_cast<double>(i % 3))});
        chart.series.push_back(series);
    }
    return chart;
}

}  // namespace

TEST_CASE("no text of a chart overlaps another, whatever the values") {
    for (const std::size_t count : {0U, 1U, 9U, 40U}) {
        for (const double factor : {1e-7, 0.3, 1234.0, 1e9, -5.0}) {
            for (const auto kind : {ScaleKind::linear, ScaleKind::logarithmic}) {
                for (const double width : {chart_width, wide_chart_width}) {
                    auto chart = lines(count, factor);
                    chart.y.kind = kind;
                    check_texts(drawn(chart, width), 2);
                    chart.x.ticks_at = {1, 2, 4, 8, 1000, 1001, 1002};
                    check_texts(drawn(chart, width), 2);
                }
            }
        }
    }
}

TEST_CASE("hollow dots are drawn as rings") {
    XyChart chart{.title = "t",
                  .description = "d",
                  .x = {},
                  .y = {},
                  .series = {{.line = {{1, 1}}, .rings = {{1, 1}, {1, 2}}}}};
    const auto elements = drawn(chart).elements;
    CHECK_THAT(elements, Contains("class=\"ring s0\"") && !Contains("class=\"f0\""));
}

TEST_CASE("a key names every line, and cuts no name") {
    ChartKey key{.title = "strategy"};
    for (int i = 0; i < 12; ++i)
        key.entries.push_back({.mark = std::to_string(i + 1),
                               .label = std::string(20, 'W') + " and a long name " + std::to_string(i),
                               .tone = tone_of(static_cast<std::size_t>(i)),
                               .dashed = i > 5});
    for (const double width : {chart_width, wide_chart_width}) {
        const auto drawing = drawn(key, width);
        check_texts(drawing, 24);
        CHECK_THAT(drawing.elements, !Contains("…") && Contains("name 11") && Contains("dashed"));
    }
}

TEST_CASE("rows of dots have their whole names above them") {
    DotRowChart chart{.title = "r", .description = "d", .x = {.title = "ms"}};
    for (int i = 0; i < 9; ++i)
        chart.rows.push_back({.label = "a name " + std::string(70, 'm') + std::to_string(i),
                              .dots = {1.0 + i, std::numeric_limits<double>::infinity()},
                              .rings = {20.0},
                              .line = 3.0});
    for (const auto kind : {ScaleKind::linear, ScaleKind::logarithmic}) {
        chart.x.kind = kind;
        const auto drawing = drawn(chart);
        check_texts(drawing, 18);
        CHECK_THAT(drawing.elements, !Contains("…") && !Contains("inf") && Contains("ring s0"));
    }
    check_texts(drawn(DotRowChart{.title = "none"}), 1);
}

TEST_CASE("long labels and titles are cut") {
    auto chart = lines(2, 1.0);
    chart.x.title = chart.y.title = chart.series[0].label = std::string(300, 'W');
    check_texts(drawn(chart), 5);
    RowChart rows{.title = "r", .description = "d", .x_title = std::string(300, 'W')};
    rows.legend = {{Tone::blue, std::string(300, 'W')}, {Tone::green, "short"}};
    rows.rows = {{std::string(300, 'W'), {{0, 1, Tone::blue}}, std::string(300, 'W')}};
    check_texts(drawn(rows), 5);
}

TEST_CASE("rows that are thinner than a text keep their labels apart") {
    for (const double height : {2.0, 9.0, 16.0, 40.0}) {
        RowChart chart{.title = "Rows",
                       .description = "d",
                       .x_title = "ms",
                       .legend = {{Tone::blue, "compute"}, {Tone::grey, "rest"}}};
        chart.row_height = height;
        for (int node = 0; node < 16; ++node) {
            chart.rows.push_back(
                {"node " + std::to_string(node), {{0, 3.0 + node, Tone::blue, "words"}}, "12.5 ms"});
            if (node % 2 == 0) chart.rows.push_back({"", {{1, 2, Tone::grey}}, ""});
        }
        check_texts(drawn(chart), 36);
        check_texts(drawn(chart, wide_chart_width), 36);
        CHECK_THAT(drawn(chart).elements + drawn(chart, wide_chart_width).elements, !Contains("…"));
    }
}

TEST_CASE("a chart without marks, or with marks that are no numbers, is drawn") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    auto chart = lines(1, 1.0);
    chart.series[0].line = {{nan, 1}, {1, infinity}, {1, -infinity}};
    chart.series[0].band = {{1, nan, 2}};
    chart.series[0].columns = {{infinity, 1, 2}};
    const auto drawing = drawn(chart);
    check_texts(drawing, 2);
    CHECK_THAT(drawing.elements, !Contains("nan") && !Contains("inf"));
    RowChart rows{
        .title = "r", .description = "d", .x_title = "ms", .rows = {{"a", {{nan, 1}, {0, infinity}}, ""}}};
    CHECK_THAT(drawn(rows).elements, !Contains("nan") && !Contains("inf"));
    check_texts(drawn(RowChart{}), 2);
}

TEST_CASE("marks stand at their places") {
    XyChart chart{.title = "t", .description = "d", .x = {}, .y = {}, .series = {}};
    chart.series = {{.line = {{0, 0}, {10, 10}}}, {.tone = Tone::green, .dots = {{5, 5}}}};
    const auto elements = drawn(chart).elements;
    std::smatch line;
    REQUIRE(std::regex_search(elements, line,
                              std::regex("line s0\" d=\"M([0-9.]+) ([0-9.]+)L([0-9.]+) ([0-9.]+)\"")));
    std::smatch dot;
    REQUIRE(std::regex_search(elements, dot,
                              std::regex("<circle class=\"f2\" cx=\"([0-9.]+)\" cy=\"([0-9.]+)\"")));
    CHECK(std::stod(dot[1]) == Approx((std::stod(line[1]) + std::stod(line[3])) / 2.0).margin(0.1));
    CHECK(std::stod(dot[2]) == Approx((std::stod(line[2]) + std::stod(line[4])) / 2.0).margin(0.1));
    CHECK(std::stod(line[2]) > std::stod(line[4]));
}

TEST_CASE("texts of a drawing are escaped, in a page and in a file") {
    RowChart chart{.title = "<t>", .description = "d & e", .x_title = "<x>", .legend = {{Tone::blue, "<l>"}}};
    chart.rows = {{"<a>", {{0, 1, Tone::blue, "\"<w>\""}}, "<e>"}};
    const std::vector<Drawing> drawings{drawn(chart), drawn(chart)};
    const auto element = svg_element(drawings[0]);
    CHECK_THAT(element, Contains("role=\"img\"") && Contains("<title>&lt;t&gt;</title>") &&
                            Contains("<desc>d &amp; e</desc>"));
    for (const auto& text : {element, svg_document(drawings)}) {
        CHECK_THAT(text, Contains("&lt;a&gt;") && Contains("&lt;w&gt;") && Contains("&lt;l&gt;"));
        CHECK_THAT(text, !Contains("<a>") && !Contains("<w>") && !Contains("<l>") && !Contains("<x>"));
    }
    CHECK_THAT(svg_document(drawings), Contains("<?xml") && Contains(".f0 { fill: #0072b2; }"));
}
