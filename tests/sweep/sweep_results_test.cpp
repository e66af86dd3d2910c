#include "sweep/sweep_results.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "report/render.hpp"
#include "report/run_folder.hpp"
#include "small_sweep.hpp"
#include "sweep/sweep_folder.hpp"
#include "sweep/sweep_tables.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

TEST_CASE("the runs of a sweep's folder that are done are named by their settings") {
    const TemporaryFolder temporary;
    const auto sweep = small_sweep();
    const auto path = temporary / "sweep";
    {
        const SweepFolder folder(path, sweep, false);
        keep(folder, sweep.runs[1]);
        keep(folder, sweep.runs[2]);
    }
    const auto runs = kept_runs(path);
    REQUIRE(runs.size() == 2);
    CHECK(runs[0].label == "batch_size=64, repeat=0");
    CHECK(runs[1].label == "batch_size=32, repeat=1");
    CHECK(read_run_folder(runs[1].folder).run_id == sweep.runs[2].run_id);
    CHECK(to_csv(kept_medians(path).medians) == to_csv(medians_table(sweep, entries_of(sweep, path))));
}

TEST_CASE("a sweep's folder without a run that is done is told from one of runs") {
    const TemporaryFolder temporary;
    const auto sweep = small_sweep();
    { const SweepFolder folder(temporary / "sweep", sweep, false); }
    CHECK_THROWS_WITH(kept_runs(temporary / "sweep"), Contains("no run of it is done"));
    CHECK_THROWS_AS(kept_medians(temporary / "nowhere"), MissingFileError);
}

TEST_CASE("the repeats of a sweep that repeats until a figure is precise have names of their own") {
    const TemporaryFolder temporary;
    auto content = nlohmann::json::parse(small_sweep().text);
    content["repeats"] = 1;
    content["precision"] = 0.02;
    const auto sweep = load_sweep(temporary.write("sweep.json", content.dump()));
    const auto path = temporary / "sweep";
    {
        const SweepFolder folder(path, sweep, false);
        for (const std::int64_t repeat : {0, 1}) keep(folder, sweep.runs[sweep.position(0, repeat)]);
    }
    const auto runs = kept_runs(path);
    REQUIRE(runs.size() == 2);
    CHECK(runs[0].label == "batch_size=32, repeat=0");
    CHECK(runs[1].label == "batch_size=32, repeat=1");
}
