#include "report/failures.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "example_run.hpp"
#include "report/overview.hpp"
#include "report/planned_faults.hpp"
#include "report/render.hpp"
#include "report/run_folder.hpp"
#include "report/run_page.hpp"
#include "report/summary.hpp"

using namespace convoy;
using Catch::Contains;
using nlohmann::json;

namespace {

/// Node 1 was lost, and then a node that nobody knows, behind which no step came.
std::vector<NodeFailure> two_failures() {
    return {{.time = "2026-11-25T04:36:00Z",
             .node = 1,
             .step = 14,
             .cause = "node 1 (pid 7) was killed by signal 9, in step 14",
             .detected_after_s = 0.0125,
             .first_step_after_s = 0.5,
             .steps_lost = 2,
             .replaced_after_s = 1.25,
             .fault = "kill",
             .fault_step = 15,
             .agreed_after_s = 0.25,
             .examples_lost = 48},
            {.time = "2026-11-25T04:37:00Z",
             .node = {},
             .step = 20,
             .cause = "node 0: node 1 closed the connection",
             .detected_after_s = {},
             .first_step_after_s = {},
             .steps_lost = 8}};
}

}  // namespace

TEST_CASE("a run folder has the lost nodes as CSV and in its summary, and a report of it shows them") {
    const TemporaryFolder temporary;
    auto run = example_run();
    run.failures = two_failures();
    write_run_folder(temporary / "run", run);
    CHECK(read_text(temporary / "run" / "failures.csv") ==
          "time,node,step,cause,detected_after_s,first_step_after_s,steps_lost,replaced_after_s,fault,"
          "fault_step,agreed_after_s,examples_lost\n"
          "2026-11-25T04:36:00Z,1,14,\"node 1 (pid 7) was killed by signal 9, in step "
          "14\",0.012500,0.500000,2,1.250000,kill,15,0.250000,48\n"
          "2026-11-25T04:37:00Z,,20,node 0: node 1 closed the connection,,,8,,,,,0\n");
    const auto read = read_run_folder(temporary / "run");
    CHECK(read.failures == run.failures);
    CHECK_THAT(overview_text(read, {}), Contains("Nodes that were lost or had a fault") && Contains("12.5"));
    CHECK_THAT(run_page(read, "{}", "{}", {}), Contains("Nodes that were lost or had a fault"));
    CHECK(failures_table(read).title ==
          "Nodes that were lost or had a fault, with the ranks that they had then");
    auto apart = read;
    apart.updates.emplace_back();  // workers take steps apart, and keep their ranks
    CHECK(failures_table(apart).title == "Nodes that were lost or had a fault");
    CHECK_THAT(to_csv(failures_table(read)),
               Contains("time,fault,node,step,detected_after_s,agreed_after_s,first_step_after_s,steps_lost,"
                        "examples_lost,replaced_after_s,cause\n"));
}

TEST_CASE("a run that lost no node has neither the file nor the table") {
    const TemporaryFolder temporary;
    write_run_folder(temporary / "run", example_run());
    CHECK_FALSE(std::filesystem::exists(temporary / "run" / "failures.csv"));
    const auto read = read_run_folder(temporary / "run");
    CHECK(read.failures.empty());
    CHECK_THAT(overview_text(read, {}), !Contains("lost"));
    CHECK_THAT(run_page(read, "{}", "{}", {}), !Contains("Nodes that were lost or had a fault"));
}

TEST_CASE("the faults of a spec come back from a summary, and damaged ones are an error that names them") {
    auto results = example_results();
    results.faults = {{.kind = "slow", .node = 1, .step = 7, .factor = 2.5},
                      {.kind = "kill", .node = 0, .time_s = 1.25}};
    auto summary = summary_json(results);
    CHECK(read_planned_faults(summary, "summary.json") == results.faults);
    CHECK(read_planned_faults(json::object(), "summary.json").empty());
    auto too_large = summary["faults"];
    too_large[0]["node"] = 1e64;
    for (const auto& damaged : {json{{{"kind", 1}}}, too_large}) {
        summary["faults"] = damaged;
        CHECK_THROWS_WITH(read_planned_faults(summary, "summary.json"),
                          Contains("summary.json: faults: expected"));
    }
}

TEST_CASE("the failures of a damaged summary are an error that names them") {
    auto results = example_results();
    results.failures = {{.time = "x", .node = 1, .step = 2, .cause = "y"}};
    auto summary = summary_json(results);
    CHECK(read_failures(summary, "summary.json") == results.failures);
    CHECK(read_failures(json::object(), "summary.json").empty());
    auto too_large = summary["failures"];
    too_large[0]["step"] = 1e64;
    for (const auto& damaged :
         {json(3), json({1}), json::parse(R"([{"time": "x", "node": "one"}])"), too_large}) {
        summary["failures"] = damaged;
        CHECK_THROWS_WITH(read_failures(summary, "summary.json"),
                          Contains("summary.json: failures: expected"));
    }
}
