#include "report/update_tables.hpp"

#include <catch2/catch.hpp>
#include <sstream>

#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "example_run.hpp"
#include "report/overview.hpp"
#include "report/render.hpp"
#include "report/results_builder.hpp"
#include "report/run_folder.hpp"
#include "report/run_page.hpp"

using namespace convoy;
using Catch::Contains;

namespace {

/// Two servers and two workers; the servers differ in the order of the second steps.
std::vector<UpdateRecord> updates() {
    return {{2, 1, 0, 1, 0, 0, 0}, {2, 2, 1, 1, 0, 1, 0}, {2, 3, 1, 2, 2, 0, 1}, {2, 4, 0, 2, 1, 2, 0},
            {3, 1, 1, 1, 0, 0, 0}, {3, 2, 1, 2, 1, 0, 1}, {3, 3, 0, 1, 0, 2, 0}, {3, 4, 0, 2, 3, 0, 0}};
}

RunResults results() {
    ResultsBuilder builder(example_results());
    for (const auto& row : updates()) builder.add(row);
    return builder.finish();
}

}  // namespace

TEST_CASE("updates become counts by worker and staleness, and pulls of several versions are counted") {
    CHECK(results().updates == std::vector<WorkerUpdates>{{.worker = 0,
                                                           .by_staleness = {{0, 2}, {2, 2}},
                                                           .most_ahead = 0,
                                                           .pulls = 2,
                                                           .mixed_pulls = 1,
                                                           .largest_spread = 2},
                                                          {.worker = 1,
                                                           .by_staleness = {{0, 3}, {1, 1}},
                                                           .most_ahead = 1,
                                                           .pulls = 2,
                                                           .mixed_pulls = 1,
                                                           .largest_spread = 1}});
    CHECK(to_csv(updates_table(results())) ==
          "worker,updates,mean_staleness,max_staleness,max_steps_ahead,compared_pulls,mixed_pulls,"
          "max_version_spread\n0,4,1,2,0,2,1,2\n1,4,0.25,1,1,2,1,1\n");
    CHECK(to_csv(staleness_table(results())) == "staleness,updates,share_pct\n0,5,62.5\n1,1,12.5\n2,2,25\n");
}

TEST_CASE("a run folder has the updates as CSV, and a report of it shows them") {
    const TemporaryFolder temporary;
    auto run = example_run();
    run.records.updates = updates();
    run.nodes = 4;
    write_run_folder(temporary / "run", run);
    CHECK_THAT(read_text(temporary / "run" / "updates.csv"),
               Catch::StartsWith("node,update,worker,step,version,staleness,ahead\n"));
    const auto read = read_run_folder(temporary / "run");
    CHECK(read.updates == results().updates);
    CHECK_THAT(overview_text(read, {}), Contains("mean staleness"));
    CHECK_THAT(run_page(read, "{}", "{}", {}), Contains("Updates of each staleness"));
    CHECK_THAT(overview_text(example_results(), {}), !Contains("staleness"));
}

TEST_CASE("other runs have no file of updates") {
    const TemporaryFolder temporary;
    write_run_folder(temporary / "run", example_run());
    CHECK_FALSE(std::filesystem::exists(temporary / "run" / "updates.csv"));
    CHECK(read_run_folder(temporary / "run").updates.empty());
}
