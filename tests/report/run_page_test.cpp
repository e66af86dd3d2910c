#include "report/run_page.hpp"

#include <catch2/catch.hpp>

#include "example_run.hpp"
#include "report/html.hpp"
#include "report/tables.hpp"

using namespace convoy;
using Catch::Matchers::Contains;

namespace {

constexpr auto environment =
    R"({"cpu": {"model": "<fast>", "flags": ["avx", "fma"]}, "nodes": [{"rank": 0}], "gone": null})";

}  // namespace

TEST_CASE("texts are escaped for HTML") {
    CHECK(html_escaped("<a href=\"x\">&'\x01\n") == "&lt;a href=&quot;x&quot;&gt;&amp;&#39;\\x01\n");
}

TEST_CASE("a table in HTML has units, bars and escaped cells") {
    Table table{"things", "Things & more", {}, {}};
    table.columns = {{.name = "name", .unit = "", .left = true, .shown = {}},
                     {.name = "share", .unit = "pct", .left = false, .shown = {}, .bar = true},
                     {.name = "hidden", .unit = "", .left = false, .shown = {}, .scripts_only = true}};
    table.rows = {{"<b>", 12.5, 1.0}, {"c", Cell(), 1.0}};
    CHECK(html_table(table) == R"(<h2>Things &amp; more</h2>
<div class="wide"><table>
<thead><tr><th class="left">name</th><th>share (%)</th></tr></thead>
<tbody>
<tr><td class="left">&lt;b&gt;</td><td class="share" style="--part: 12.5%">12.5</td></tr>
<tr><td class="left">c</td><td>-</td></tr>
</tbody></table></div>
)");
    CHECK_THAT(html_facts(table), Contains("<tr><th>name</th><td>&lt;b&gt;</td><td>c</td></tr>"));
}

TEST_CASE("a run's page holds its tables, environment and spec without scripts or anything from elsewhere") {
    auto results = results_of(example_run());
    results.name = "<script>alert(1)</script>";
    results.operators[0].name = "</td><script src=\"http://elsewhere/x.js\">";
    StepTimeLine line{.step = 6,
                      .lanes = {{.node = 0, .computes = true, .pieces = {{0, 1, "<img>", "<script>"}}}}};
    const auto page = run_page(results, "{\"name\": \"</pre><img src=x>\"}", environment, line);
    for (const auto* title :
         {"Result of", "Time per phase", "Loss and accuracy per epoch", "Time per kind of operator",
          "Communication per node", "Processor, memory", "Environment", "Every operator", "Spec"})
        CHECK_THAT(page, Contains(title));
    CHECK_THAT(page, Contains("<title>&lt;script&gt;alert(1)&lt;/script&gt;</title>"));
    CHECK_THAT(page, Contains("&lt;fast&gt;") && Contains("default-src 'none'"));
    CHECK_THAT(page, !Contains("<script") && !Contains("<img"));
    CHECK_THAT(page, Contains("&lt;script src=&quot;http://elsewhere/x.js&quot;&gt;"));
}

TEST_CASE("a run's page has its figures, and says so where there is no time-line") {
    const StepTimeLine line{.step = 6,
                            .lanes = {{.node = 0, .computes = true, .pieces = {{0, 1, "Op", "name"}}}}};
    const auto page = run_page(example_results(), "{}", "{}", line);
    for (const auto* title :
         {"Where the step went", "One step of all nodes", "Hidden against exposed communication",
          "Step time over the run", "Distribution of step times", "Operators in training", "Loss", "Accuracy",
          "Processor", "Resident memory", "Network: sent"})
        CHECK_THAT(page, Contains("<figcaption><b>" + std::string(title) + "</b>"));
    CHECK_THAT(page, !Contains("There is no time-line"));
    const auto without = run_page(example_results(), "{}", "{}", std::nullopt);
    CHECK_THAT(without, Contains("There is no time-line of a step: no step was traced") &&
                            !Contains("One step of all nodes"));
    CHECK_THAT(run_page({}, "{}", "{}", std::nullopt), !Contains("<figure>") && !Contains("time-line"));
}
