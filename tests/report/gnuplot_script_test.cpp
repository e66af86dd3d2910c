#include "report/gnuplot_script.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "report/gnuplot.hpp"

using namespace convoy;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

const std::string nasty = "a'b \"c\" `touch pwned` $(id) @x <b>&amp; {/i x}^2\n\\";

LinePlot loss_curves() {
    return {.name = "loss",
            .title = "Loss",
            .x_label = "epoch",
            .y_label = "mean",
            .series = {{.title = "step", .points = {{0.5, 2.0, {}}}, .faint = true},
                       {.title = "train", .points = {{1, 1.5, {}}, {2, 1.25, {}}}, .marks = true}}};
}

BarPlot bars() {
    return {.name = "operators",
            .title = "Operators",
            .x_label = "%",
            .bars = {{"Conv2D conv", 76}, {"MatMul", 20}}};
}

std::string script(const Plot& plot, ImageFormat format = ImageFormat::svg) {
    return gnuplot_script({&plot, 1}, format);
}

}  // namespace

TEST_CASE("lines in gnuplot's language") {
    CHECK("\n" + script(loss_curves()) == R"(
set encoding utf8
set terminal svg size 480,278 dynamic noenhanced font 'sans-serif,13' linewidth 1.5 name 'loss'
set title 'Loss'
set xlabel 'epoch'
set border 3
set tics nomirror out scale 0.5
set ylabel 'mean'
set xlabel offset 0,0.4
set key below
set grid
set xrange [0:*] noextend
set offsets 0, 0, graph 0.05, 0
set yrange [0:*]
$data0 << END
0.5 2 2 2
END
$data1 << END
1 1.5 1.5 1.5
2 1.25 1.25 1.25
END
plot $data0 using 1:2 with lines linecolor rgb '#999999' dashtype 1 title 'step', \
     $data1 using 1:2 with linespoints pointtype 7 pointsize 0.5 linecolor rgb '#0072b2' dashtype 1 title 'train'
)");
}

TEST_CASE("bars in gnuplot's language") {
    CHECK("\n" + script(bars(), ImageFormat::png) == R"(
set encoding utf8
set terminal pngcairo size 960,304 noenhanced font 'sans-serif,20' fontscale 1 linewidth 2
set title 'Operators'
set xlabel '%'
set border 3
set tics nomirror out scale 0.5
unset ytics
set border 1
set grid x
set xrange [0:87.4]
set yrange [1.5:-0.6]
set label 'Conv2D conv' at 0,-0.27 left offset 0.3,0
set label 'MatMul' at 0,0.73 left offset 0.3,0
$data << END
0 76 76
1 20 20
END
plot $data using 2:1:(0):2:($1+0.02):($1+0.38) with boxxyerror fillstyle solid linecolor rgb '#0072b2' notitle, \
     $data using 3:($1+0.2):(sprintf('%.1f', $2)) with labels left offset 0.5,0 notitle
)");
}

TEST_CASE("a logarithmic axis has marks where points are, and spreads are bars") {
    auto plot = loss_curves();
    plot.series = {{.title = "step", .points = {{32, 2.0, {{1.5, 3.0}}}, {128, 3.0, {{2.5, 4.0}}}}}};
    plot.x_logarithmic = true;
    CHECK_THAT(script(plot), Contains("set logscale x 2\nset xtics (32,128)\n") &&
                                 Contains("32 2 1.5 3\n128 3 2.5 4\n") && Contains("with yerrorlines"));
}

TEST_CASE("each run is a dot beside its line or on its bar, a hollow one if it is not quiet") {
    auto lines = loss_curves();
    lines.series[1].dots = {{1, 0.6}, {1, 0.7, true}, {2, 0.5}};
    CHECK_THAT(
        script(lines),
        Contains("$data1full << END\n1 0.6\n2 0.5\nEND\n$data1hollow << END\n1 0.7\nEND\n") &&
            Contains("$data1full using 1:2 with points pointtype 7 pointsize 0.7 linecolor rgb '#0072b2'") &&
            Contains("$data1hollow using 1:2 with points pointtype 6"));
    auto rows = bars();
    rows.bars[1].dots = {{.x = 15}, {.x = 99, .hollow = true}};
    // The figure of a bar stands right of its dots.
    CHECK_THAT(script(rows), Contains("0 76 76\n1 20 99\nEND\n") && Contains("set xrange [0:113.85]") &&
                                 Contains("$dotsfull << END\n15 1.2\nEND\n") &&
                                 Contains("$dotshollow << END\n99 1.2\nEND\n"));
}

TEST_CASE("values that range widely have a logarithmic axis") {
    auto plot = loss_curves();
    plot.y_logarithmic = true;
    CHECK_THAT(script(plot), Contains("set logscale y\n") && !Contains("set yrange [0:*]"));
}

TEST_CASE("where titles are long, the samples of the lines stand before them") {
    auto plot = loss_curves();
    plot.series[0].title = std::string(46, 'x');
    CHECK_THAT(script(plot), Contains("set key below left Left reverse maxcols 1\n"));
}

TEST_CASE("shares have an axis around what occurs, up to 1") {
    auto plot = loss_curves();
    plot.series[0].points = {{1, 0.97, {}}, {2, 0.99, {}}};
    plot.series.pop_back();
    plot.y_is_share = true;
    CHECK_THAT(script(plot), Contains("set yrange [*:*<1]\n") && !Contains("offsets"));
    const auto drawn = Gnuplot().draw(script(plot));
    CHECK_THAT(drawn, Contains("<text> 0.97</text>") && Contains("0.99</text>"));
}

TEST_CASE("a plot of many lines has room for their titles, and dashes where its colours begin again") {
    auto plot = loss_curves();
    plot.series.clear();
    for (int i = 0; i < 8; ++i)
        plot.series.push_back(
            {.title = "strategy.overlap=true, nodes=" + std::to_string(i), .points = {{1, 2, {}}}});
    CHECK_THAT(script(plot), Contains("size 480,404 ") &&
                                 Contains("$data6 using 1:2 with lines linecolor rgb '#0072b2' dashtype 2"));
}

TEST_CASE("several plots stand one below the other") {
    const std::vector<Plot> plots{loss_curves(), bars()};
    const auto text = gnuplot_script(plots, ImageFormat::svg);
    CHECK_THAT(text, Contains("size 480,430 ") && Contains("set origin 0,0.353488\n") &&
                         Contains("set origin 0,0.000000\n") && Contains("unset multiplot"));
    CHECK_THAT(Gnuplot().draw(text), Contains("viewBox=\"0 0 480 430\""));
}

TEST_CASE("texts are quoted so that gnuplot takes them as they are") {
    CHECK(gnuplot_quoted("it's") == "'it\u2019s'");
    CHECK(gnuplot_quoted("a\nb\tc\x7f") == "'a\\nb\\tc\\x7f'");
    auto plot = loss_curves();
    plot.title = plot.series[0].title = nasty;
    auto barred = bars();
    barred.bars[0].label = nasty;
    const std::vector<Plot> plots{plot, barred};
    const auto drawn = Gnuplot().draw(gnuplot_script(plots, ImageFormat::svg));
    CHECK_THAT(drawn, Contains("a\u2019b \"c\" `touch pwned` $(id) @x &lt;b>&amp;amp; {/i x}^2"));
}

TEST_CASE("long labels are cut between characters") {
    auto plot = bars();
    plot.bars[0].label.clear();
    for (int i = 0; i < 60; ++i) plot.bars[0].label += "µ";
    std::string kept;
    for (int i = 0; i < 50; ++i) kept += "µ";
    CHECK_THAT(script(plot), Contains("'" + kept + "…' at 0"));
}

TEST_CASE("gnuplot draws every kind of picture") {
    CHECK_THAT(Gnuplot().draw(script(bars())),
               StartsWith("<?xml") && Contains("Conv2D conv") && Contains("76.0"));
    CHECK_THAT(Gnuplot().draw(script(loss_curves(), ImageFormat::png)), StartsWith("\x89PNG"));
    CHECK_THAT(script(bars(), ImageFormat::pdf),
               Contains("\nset terminal pdfcairo size 5.000in,1.583in noenhanced font 'sans-serif,10' "
                        "linewidth 1.5\n"));
    CHECK_THAT(Gnuplot().draw(script(bars(), ImageFormat::pdf)), StartsWith("%PDF-1.") && Contains("%%EOF"));
}

TEST_CASE("gnuplot draws runs as dots in every format") {
    auto lines = loss_curves();
    lines.series[1].dots = {{1, 0.6}, {2, 0.5}, {1, 0.7, true}};
    auto rows = bars();
    rows.bars[0].dots = {{.x = 70}, {.x = 72}, {.x = 74, .hollow = true}};
    for (const auto& plots : {std::vector<Plot>{lines}, std::vector<Plot>{rows}}) {
        const auto drawn = Gnuplot().draw(gnuplot_script(plots, ImageFormat::tikz));
        const auto marks = [&drawn](const std::string& mark) {
            std::size_t count = 0;
            for (auto at = drawn.find(mark); at != std::string::npos; at = drawn.find(mark, at + 1)) ++count;
            return count;
        };
        CHECK(marks("{gp mark 6}") == 1);
        CHECK(marks("{gp mark 7}") == 2);
        for (const auto format : {ImageFormat::svg, ImageFormat::png, ImageFormat::pdf})
            CHECK(Gnuplot().draw(gnuplot_script(plots, format)).size() > 1000);
    }
}

TEST_CASE("a title has more room than a label") {
    auto plot = bars();
    plot.title = std::string(64, 't');
    plot.x_label = std::string(64, 'x');
    CHECK_THAT(script(plot), Contains("set title '" + std::string(64, 't') + "'") &&
                                 Contains("set xlabel '" + std::string(50, 'x') + "…'"));
}

TEST_CASE("a picture in TikZ is for an input of LaTeX, which prints its texts as they are") {
    auto barred = bars();
    barred.title = "50% of a_b {x}";
    barred.bars[0].label = nasty;
    auto lines = loss_curves();
    lines.y_label = "$";
    lines.series[1].title = "strategy.name=\"a_b\"";
    const std::vector<Plot> plots{barred, lines};
    const auto text = gnuplot_script(plots, ImageFormat::tikz);
    CHECK_THAT(text, Contains("\nset terminal tikz size 5.000in,4.479in color\n"));
    const auto drawn = Gnuplot().draw(text);
    CHECK_THAT(drawn, StartsWith("\\begin{tikzpicture}[gnuplot]") && Contains("\\end{tikzpicture}") &&
                          !Contains("documentclass"));
    CHECK_THAT(drawn, Contains(R"({50\% of a\_b \{x\}})") &&
                          Contains(R"({strategy.name=\char34{}a\_b\char34{}})") && Contains(R"({\$})"));
    CHECK_THAT(
        drawn,
        Contains(
            R"({a\char39{}b \char34{}c\char34{} \char96{}touch pwned\char96{} \$(id) @x \textless{}b\textgreater{}\&amp;)"));
}

TEST_CASE("what keeps gnuplot from drawing is said in one line") {
    CHECK_THROWS_AS(Gnuplot("no-such-gnuplot").draw("plot x"), MissingFileError);
    CHECK_THROWS_WITH(Gnuplot("no-such-gnuplot").draw("plot x"),
                      "no-such-gnuplot: is not installed, and draws the plots; install gnuplot-nox");
    CHECK_THROWS_AS(Gnuplot().draw("nonsense\n"), OutputError);
    CHECK_THROWS_WITH(Gnuplot().draw("nonsense\n"),
                      Contains("could not draw") && Contains("invalid command") && !Contains("\n"));
}

TEST_CASE("quotes side by side, and at either end, and bytes that are not UTF-8 can be drawn") {
    for (const auto* text : {"x''y.npy", "'x", "''x", "x'", "''", "'", "\xff\x1b[31m", "\\", "x\\'"}) {
        auto barred = bars();
        barred.title = barred.bars[0].label = text;
        INFO(text);
        const std::vector<Plot> plots{barred};
        CHECK_THAT(Gnuplot().draw(gnuplot_script(plots, ImageFormat::svg)), Contains("</svg>"));
    }
}
