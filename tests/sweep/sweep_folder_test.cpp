#include "sweep/sweep_folder.hpp"

#include <catch2/catch.hpp>
#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error_line.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "small_sweep.hpp"
#include "support/no_descriptors.hpp"
#include "support/sanitized.hpp"
#include "support/without_call.hpp"
#include "sweep/sweep_results.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

TEST_CASE("a sweep's folder tells how far each run is") {
    const TemporaryFolder temporary;
    const auto sweep = small_sweep();
    const SweepFolder folder(temporary / "sweep", sweep, false);
    const auto& run = sweep.runs[0];
    CHECK(folder.entry(run).state == RunState::pending);
    folder.keep_failure(run, DataError("spec: too much"));
    CHECK(folder.entry(run).state == RunState::failed);
    CHECK(folder.entry(run).error == "spec: too much");
    CHECK(folder.entry(run).code == 65);
    keep(folder, run);
    CHECK(folder.entry(run).state == RunState::done);
    CHECK(folder.entry(run).summary.at("run_id") == run.run_id);
    CHECK(fs::is_empty(temporary / "sweep" / "failed"));
    CHECK(folder.entry(sweep.runs[1]).state == RunState::pending);
}

TEST_CASE("a sweep goes on in its own folder only, and only when asked to") {
    const TemporaryFolder temporary;
    const auto sweep = small_sweep();
    {
        const SweepFolder first(temporary / "sweep", sweep, false);
        keep(first, sweep.runs[0]);
    }
    CHECK_THROWS_WITH(SweepFolder(temporary / "sweep", sweep, false), Contains("--resume"));
    const SweepFolder again(temporary / "sweep", sweep, true);
    CHECK_THROWS_WITH(SweepFolder(temporary / "sweep", sweep, true), Contains("another convoy"));
    CHECK(again.entry(sweep.runs[0]).state == RunState::done);
}

// ubsan looks at the type of an exception through a pipe.
TEST_CASE("a sweep runs on a file system without locks, and a folder that cannot be opened is told as such",
          test::left_out(test::is_sanitized)) {
    const TemporaryFolder temporary;
    const auto sweep = small_sweep();
    std::optional<std::string> warning;
    REQUIRE(without_locks(EOPNOTSUPP, [&] {
        const SweepFolder folder(temporary / "sweep", sweep, false);
        warning = folder.lock_warning();
    }));
    REQUIRE(warning);
    CHECK_THAT(*warning, Contains("sweep: cannot be locked (Operation not supported)"));
    std::string full;
    {
        const NoDescriptors none;
        full = error_line<OutputError>([&] { const SweepFolder folder(temporary / "sweep", sweep, true); });
    }
    CHECK_THAT(full, Contains("sweep: cannot be opened: Too many open files"));
}

TEST_CASE("a folder of another sweep is refused") {
    const TemporaryFolder temporary;
    const auto sweep = small_sweep();
    { const SweepFolder first(temporary / "sweep", sweep, false); }
    auto other = sweep;
    other.text += " ";
    CHECK_THROWS_WITH(SweepFolder(temporary / "sweep", other, true), Contains("another sweep"));
}

TEST_CASE("a sweep that was ended and one that was not have the same table") {
    const TemporaryFolder temporary;
    const auto sweep = small_sweep();
    const auto write_all = [&](const std::string& name, std::size_t ended_after) {
        {
            const SweepFolder folder(temporary / name, sweep, false);
            for (std::size_t i = 0; i < ended_after; ++i) keep(folder, sweep.runs[i]);
        }
        // What a killed process leaves of the run that it was writing.
        fs::create_directories(temporary / name / "runs" / ".half.tmp-abcdef");
        const SweepFolder folder(temporary / name, sweep, true);
        for (const auto& run : sweep.runs) {
            if (folder.entry(run).state == RunState::pending) keep(folder, run);
        }
        folder.write_tables();
        return read_text(temporary / name / "runs.csv") + read_text(temporary / name / "report.md");
    };
    const auto whole = write_all("whole", sweep.runs.size());
    CHECK(write_all("ended", 1) == whole);
    const auto page = read_text(temporary / "whole" / "report.html");
    CHECK_THAT(page, Contains("<h1>small, 4 of 4 runs done</h1>") && Contains(sweep.runs[3].run_id));
    CHECK(is_sweep_folder(temporary / "whole"));
    CHECK_FALSE(is_sweep_folder(temporary.path()));
    CHECK_THAT(whole, Contains("batch_size,repeat,seed,run_id,state") && Contains(sweep.runs[3].run_id));
}

TEST_CASE("a damaged run is told by its file, and set aside before it is run again") {
    const TemporaryFolder temporary;
    const auto sweep = small_sweep();
    const SweepFolder folder(temporary / "sweep", sweep, false);
    const auto& run = sweep.runs[0];
    const auto file = folder.run_folder(run) / "summary.json";
    keep(folder, run);
    const auto whole = read_text(file);
    const std::vector<std::string> damages{
        "", "{", "[]", "{}", "3", "null", whole.substr(0, whole.size() / 2), std::string("\xff\xfe\0", 3)};
    for (const auto& damage : damages) {
        INFO(damage);
        write_whole(file, damage);
        CHECK(folder.entry(run).state == RunState::damaged);
        CHECK_THAT(folder.entry(run).error, Catch::StartsWith(file.string() + ": "));
        folder.write_tables();
        CHECK_THAT(read_text(temporary / "sweep" / "runs.csv"), Contains(",damaged,"));
        CHECK_THROWS_WITH(kept_medians(temporary / "sweep"), Catch::StartsWith(file.string()));
        const auto aside = folder.set_aside(run);
        REQUIRE(aside);
        CHECK(read_text(*aside / "summary.json") == damage);
        CHECK(folder.entry(run).state == RunState::pending);
        keep(folder, run);
        CHECK(folder.entry(run).state == RunState::done);
    }
    auto interrupted = nlohmann::json::parse(whole);
    interrupted["status"] = "interrupted";
    write_whole(file, interrupted.dump());
    CHECK(folder.entry(run).state == RunState::damaged);
    CHECK_THAT(folder.entry(run).error, Contains("the run was interrupted"));
    fs::remove(file);
    CHECK(folder.entry(run).state == RunState::damaged);
    CHECK(folder.set_aside(run));
    CHECK_FALSE(folder.set_aside(run));
    write_run_folder(folder.run_folder(run), record_of(sweep.runs[1]));
    CHECK_THAT(folder.entry(run).error, Contains("is of run " + sweep.runs[1].run_id));
}

TEST_CASE("a damaged error of a failed run is told by its file") {
    const TemporaryFolder temporary;
    const auto sweep = small_sweep();
    const SweepFolder folder(temporary / "sweep", sweep, false);
    const auto& run = sweep.runs[0];
    folder.keep_failure(run, DataError("spec: too much"));
    const auto file = fs::directory_iterator(temporary / "sweep" / "failed")->path();
    for (const std::string damage :
         {"", "{}", "[]", "3", R"({"error": 3, "code": 65})", R"({"error": "x", "code": "y"})",
          R"({"error": "x", "code": 0})", R"({"error": "x", "code": 1e99})"}) {
        INFO(damage);
        write_whole(file, damage);
        CHECK(folder.entry(run).state == RunState::damaged);
        CHECK_THAT(folder.entry(run).error, Catch::StartsWith(file.string() + ": "));
    }
    CHECK_FALSE(folder.set_aside(run));
}

TEST_CASE("a folder that is not there has only pending runs") {
    const TemporaryFolder temporary;
    const auto sweep = small_sweep();
    for (const auto& entry : entries_of(sweep, temporary / "none")) CHECK(entry.state == RunState::pending);
}

// ubsan looks at the type of an exception through a pipe.
TEST_CASE("a run whose file cannot be opened is not taken for a damaged one",
          test::left_out(test::is_sanitized)) {
    const TemporaryFolder temporary;
    const auto sweep = small_sweep();
    const SweepFolder folder(temporary / "sweep", sweep, false);
    keep(folder, sweep.runs[0]);
    folder.keep_failure(sweep.runs[1], DataError("spec: too much"));
    const auto& run = sweep.runs[GENERATE(0U, 1U)];
    {
        const NoDescriptors none;
        CHECK_THROWS_WITH(folder.entry(run), Contains(".json: Too many open files"));
    }
    CHECK(folder.entry(run).state != RunState::damaged);
}
