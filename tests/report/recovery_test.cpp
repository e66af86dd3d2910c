#include "report/recovery.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "example_run.hpp"
#include "report/partial_run.hpp"

using namespace convoy;
namespace fs = std::filesystem;
using Catch::Matchers::Contains;

namespace {

/// What a process left that was killed after it had told these records.
fs::path left(const fs::path& target, const WholeRun& run) {
    PartialRun partial(target, run, 2, run.weights.size(), PartialRun::Open::fresh);
    tell(partial, run);
    return partial.path();
}

}  // namespace

TEST_CASE("a killed run is done if all had told their last records, else interrupted") {
    const TemporaryFolder temporary;
    auto run = example_run();
    CHECK(recover(left(temporary / "a", run), temporary / "a", {}).results.status == RunStatus::done);
    run.records.summaries.pop_back();
    CHECK_FALSE(is_trained(left(temporary / "b", run)));
    const auto recovered = recover(temporary / "b.partial", temporary / "b", {});
    CHECK(recovered.results.status == RunStatus::interrupted);
    CHECK(recovered.results.epochs.size() == 1);
    CHECK(read_run_folder(temporary / "b").steps == recovered.results.steps);
    CHECK(read_bytes(temporary / "b" / "weights.safetensors") == run.weights);
}

TEST_CASE("a recovered run takes the place of its earlier part, but not if that has more") {
    const TemporaryFolder temporary;
    auto run = example_run();
    run.status = RunStatus::interrupted;
    const auto earlier = temporary / "run";
    write_run_folder(earlier, run);
    auto less = run;
    less.weights.clear();
    CHECK_THROWS_WITH(recover(left(earlier, less), earlier, {}, true), Contains("has more of this run"));
    CHECK_THROWS_WITH(recover(temporary / "run.partial", earlier, {}), Contains("exists already"));
    fs::remove(earlier / "weights.safetensors");
    CHECK(recover(temporary / "run.partial", earlier, {}, true).results.status == RunStatus::interrupted);
    CHECK(recover(left(temporary / "run", run), earlier, {}, true).results.status == RunStatus::done);
    CHECK(read_run_folder(earlier).status == RunStatus::done);
    CHECK_FALSE(fs::exists(temporary / "run.partial"));
    CHECK_FALSE(fs::exists(earlier / "records"));
}

TEST_CASE("journals and tables that end in a part of a row are read up to it") {
    const TemporaryFolder temporary;
    const auto run = example_run();
    const auto partial = left(temporary / "run", run);
    for (const auto* file : {"records/node-0.records", "records/node-1.trace", "steps.csv"})
        std::ofstream(partial / file, std::ios::app) << "torn";
    CHECK(read_partial_run(partial).steps == results_of(run).steps);
    const auto recovered = recover(partial, temporary / "run", {});
    CHECK(recovered.results.epochs == results_of(run).epochs);
    REQUIRE(recovered.warnings.size() == 1);
    CHECK_THAT(recovered.warnings.front(), Contains("the journal of node 0 has no whole records from byte"));
    CHECK_THAT(read_text(temporary / "run" / "environment.json"),
               Contains("\"warnings\"") && Contains(recovered.warnings.front()) && Contains("\"here\""));
}

TEST_CASE("a run that was trained to its end is done without the records that a damaged byte hides") {
    const TemporaryFolder temporary;
    const auto run = example_run();
    const auto partial = left(temporary / "run", run);
    write_state(partial, PartialState::trained);
    const auto journal = partial / "records" / "node-1.records";
    auto bytes = read_text(journal);
    bytes.at(40) = static_cast<char>(bytes.at(40) ^ 1);
    write_whole(journal, bytes);
    const auto recovered = recover(partial, temporary / "run", {});
    CHECK(recovered.results.status == RunStatus::done);
    CHECK(recovered.results.steps.size() == results_of(run).steps.size() / 2);
    REQUIRE(recovered.warnings.size() == 1);
    CHECK_THAT(recovered.warnings.front(), Contains("node 1"));
}

TEST_CASE("a run whose journal cannot be read is an error, and keeps all that it has") {
    const TemporaryFolder temporary;
    auto run = example_run();
    run.weights.clear();
    const auto partial = left(temporary / "run", run);
    const auto journal = partial / "records" / "node-0.records";
    const auto whole = read_text(journal);
    write_whole(journal, std::string_view("no journal at all"));
    CHECK_THROWS_WITH(recover(partial, temporary / "run", {}), Contains("is no journal of records"));
    CHECK_THROWS_WITH(PartialRun(temporary / "run", run, 2, 0, PartialRun::Open::fresh),
                      Contains("convoy recover"));
    const PartialMarks marks{.marks = {whole.size(), 0}, .journals = {}, .more = {}};
    CHECK_THROWS_WITH(PartialRun(temporary / "run", run, 2, 0, PartialRun::Open::resume, &marks),
                      Contains("is no journal of records"));
    write_whole(journal, whole);
    CHECK(recover(partial, temporary / "run", {}).results.steps == results_of(run).steps);
}

TEST_CASE("a run that was killed when it only had to be renamed has its tables, and then is no partial run") {
    const TemporaryFolder temporary;
    const auto run = example_run();
    const auto partial = left(temporary / "run", run);
    PartialRun(partial).finish(run);
    write_state(partial, PartialState::complete);
    JournalFolder(partial / "records").remove();
    CHECK(read_partial_run(partial).steps == results_of(run).steps);
    CHECK(read_partial_run(partial).status == RunStatus::done);
    fs::rename(partial, temporary / "run");
    CHECK_FALSE(is_partial_run(temporary / "run"));
    CHECK_THROWS_WITH(recover(temporary / "run", temporary / "other", {}),
                      Contains("run folder that is complete"));
    CHECK(read_run_folder(temporary / "run").status == RunStatus::done);
}

TEST_CASE("what is no partial run, or is held, is refused with its name") {
    const TemporaryFolder temporary;
    CHECK_THROWS_AS(recover(temporary / "none.partial", temporary / "none", {}), MissingFileError);
    CHECK_FALSE(fs::exists(temporary / "none.partial"));
    const auto run = example_run();
    const auto partial = left(temporary / "run", run);
    {
        const PartialRun held(partial);
        CHECK_THROWS_WITH(recover(partial, temporary / "run", {}), Contains("another convoy process"));
    }
    fs::create_directory(temporary / "taken");
    CHECK_THROWS_WITH(recover(partial, temporary / "taken", {}), Contains("exists already"));
    for (const auto* damage : {"{", "[]", "{\"format\": 3, \"version\": 1, \"ranks\": 1, \"run\": {}}"}) {
        write_whole(partial / "records" / "run.json", std::string_view(damage));
        CHECK_THROWS_WITH(recover(partial, temporary / "run", {}), Contains("run.json"));
    }
    CHECK(fs::exists(partial / "weights.safetensors"));
}

TEST_CASE("a step that a lost node had not told has no loss over all nodes") {
    const TemporaryFolder temporary;
    auto run = example_run();
    run.batch_size = 20;
    run.records.steps.clear();
    const auto has_told = [&run](std::int64_t node, std::int64_t step) {
        const std::int64_t epoch = step > 3 ? 2 : 1;
        run.records.steps.push_back(
            {node, epoch, step, static_cast<double>(1 + node), 3, 10, 1000, 600, 400});
    };
    for (const std::int64_t step : {1, 2, 3, 4, 5, 6}) has_told(0, step);
    // Neither within an epoch nor at its end. Step 5 was taken again.
    for (const std::int64_t step : {1, 3, 4, 5, 5}) has_told(1, step);
    write_run_folder(temporary / "run", run);
    const auto steps = read_text(temporary / "run" / "steps.csv");
    for (const auto* row : {"\n0,1,2,", "\n0,2,6,"})
        CHECK_THAT(steps, Contains(row + std::string("1,10,1000.000,600.000,400.000,3,,,")));
    for (const auto* row : {"\n0,1,3,", "\n0,2,5,"})
        CHECK_THAT(steps, Contains(row + std::string("1,10,1000.000,600.000,400.000,3,1.5,,")));
    CHECK(std::ranges::count(steps, '\n') == 11);
}
