#include "report/label_histogram.hpp"

#include <catch2/catch.hpp>

#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "example_run.hpp"
#include "report/render.hpp"
#include "report/run_page.hpp"
#include "report/tables.hpp"

using namespace convoy;
using Catch::Contains;

namespace {

/// So many nodes, each with one example of each class.
RunResults even_run(std::int64_t nodes, std::size_t classes) {
    RunResults results;
    for (std::int64_t node = 0; node < nodes; ++node) {
        results.summaries.emplace_back().node = node;
        results.summaries.back().label_counts.assign(classes, 1);
    }
    return results;
}

}  // namespace

TEST_CASE("each node has a row for each class, also for those that it does not have") {
    const auto& results = example_results();
    CHECK(label_counts(results) ==
          std::vector<LabelCount>{{0, 0, 0}, {0, 1, 10}, {0, 2, 10}, {1, 0, 15}, {1, 1, 10}, {1, 2, 5}});
    CHECK(to_csv(named_table("label_histogram")(results)) ==
          "node,label,examples,share_pct\n0,0,0,0\n0,1,10,50\n0,2,10,50\n1,0,15,50\n1,1,10,33.3333333\n"
          "1,2,5,16.6666667\n");
    auto servers = results;
    servers.summaries.emplace_back().node = 2;
    CHECK(label_counts(servers) == label_counts(results));
    CHECK(label_histogram_table(servers).rows.size() == 6);
}

TEST_CASE("a run folder has the histogram as CSV") {
    const TemporaryFolder temporary;
    write_run_folder(temporary / "run", example_run());
    CHECK(read_text(temporary / "run" / "label_histogram.csv") ==
          "node,label,examples\n0,0,0\n0,1,10\n0,2,10\n1,0,15\n1,1,10\n1,2,5\n");
}

TEST_CASE("the picture has a bar for each node, with a piece for each class that it has") {
    const auto chart = label_histogram_chart(example_results());
    REQUIRE(chart.rows.size() == 2);
    REQUIRE(chart.rows[0].pieces.size() == 2);
    CHECK(chart.rows[0].label == "node 0");
    CHECK(chart.rows[0].end == "2 of 3 classes");
    const auto& piece = chart.rows[0].pieces[1];
    CHECK(piece.from == 10.0);
    CHECK(piece.to == 20.0);
    CHECK(piece.words == "label 2: 10 examples");
    CHECK(chart.rows[1].pieces[2].tone == piece.tone);  // of one class
    CHECK(chart.legend.size() == 3);
    const auto page = run_page(example_results(), "{}", "{}", {});
    CHECK_THAT(page, Contains("Labels of each node") && Contains("label 2: 10 examples"));
    CHECK_THAT(run_page(RunResults{}, "{}", "{}", {}), !Contains("Labels of each node"));
}

TEST_CASE("the picture of many nodes and classes says what it leaves out") {
    const auto chart = label_histogram_chart(even_run(30, 25));
    CHECK(chart.rows.size() == 24);
    CHECK_THAT(chart.description, Contains("first 24 of 30 nodes") && Contains("Colours repeat"));
    CHECK(chart.legend.empty());
    CHECK(chart.rows[0].pieces.size() == 25);
    CHECK(chart.rows[0].pieces[0].tone == chart.rows[0].pieces[10].tone);
    CHECK(chart.rows[0].pieces[0].tone != chart.rows[0].pieces[9].tone);
    CHECK(label_histogram_chart(even_run(1, 10)).legend.size() == 10);
}
