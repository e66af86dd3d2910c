// Results of a run that are placed, or completed later, or continued by another process.
#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "example_run.hpp"
#include "report/partial_run.hpp"
#include "report/recovery.hpp"
#include "support/small_disk.hpp"

using namespace convoy;
namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using enum PartialRun::Open;

TEST_CASE("results that cannot be placed stay where they are, and are placed later") {
    const TemporaryFolder temporary;
    auto run = example_run();
    const auto partial = temporary / "run.partial";
    {
        PartialRun ended(temporary / "run", run, 2, 2, fresh);
        tell(ended, run);
        const SmallDisk disk(50);
        CHECK_THROWS_AS(ended.finish(run), OutputError);
    }
    CHECK(read_bytes(partial / "weights.safetensors") == run.weights);
    CHECK(is_trained(partial));
    const auto recovered = recover(partial, temporary / "run", std::nullopt);
    CHECK(recovered.results.status == RunStatus::done);
    CHECK(names_in(temporary.path()) == std::set<std::string>{"run"});
    write_run_folder(temporary / "whole", run);
    CHECK(names_in(temporary / "run") == names_in(temporary / "whole"));
    for (const auto& name : names_in(temporary / "whole"))
        CHECK(read_text(temporary / "run" / name) == read_text(temporary / "whole" / name));
}

TEST_CASE("a folder whose journals could not all be removed is still known as a run's") {
    const TemporaryFolder temporary;
    const auto run = example_run();
    const auto partial = temporary / "run.partial";
    {
        PartialRun ended(temporary / "run", run, 2, 2, fresh);
        tell(ended, run);
    }
    // Tables of runs of some kinds.
    for (const auto* name : {"failures.csv", "updates.csv"}) std::ofstream(partial / name) << "x\n";
    const auto journal = partial / "records" / "node-0.records";
    fs::remove(journal);
    fs::create_directories(journal / "kept");  // what cannot be removed as a file
    PartialFolder(partial, PartialFolder::Open::existing).clear();
    CHECK(names_in(partial) == std::set<std::string>{"records"});
    CHECK(is_partial_run(partial));
    fs::remove_all(journal);
    PartialFolder(partial, PartialFolder::Open::existing).clear();
    CHECK(names_in(partial).empty());
}

TEST_CASE("a move of journals that was killed in between is completed, in either direction") {
    const TemporaryFolder temporary;
    const auto run = example_run();
    const auto journals = temporary / "run.checkpoints" / "records";
    PartialMarks marks{.marks = {}, .journals = journals, .more = {}};
    {
        PartialRun first(temporary / "run", run, 2, 2, fresh);
        tell(first, run);
        marks.marks = {first.mark(0), first.mark(1)};
    }
    const auto own = temporary / "run.partial" / "records";
    for (const auto* moved : {"node-0.records", "node-1.records"}) {
        fs::create_directories(journals);
        fs::rename(own / moved, journals / moved);
        const PartialRun next(temporary / "run", run, 2, 2, resume, &marks);
        CHECK_FALSE(next.lost_records());
        CHECK(read_partial_run(next.path()).steps == results_of(run).steps);
        CHECK_FALSE(fs::exists(journals));
    }
}

TEST_CASE("what a run has in its folder is whole when its successor has no room") {
    const TemporaryFolder temporary;
    auto run = example_run();
    const auto partial = temporary / "run.partial";
    PartialMarks marks;
    {
        PartialRun ended(temporary / "run", run, 2, 2, fresh);
        tell(ended, run);
        marks.marks = {ended.mark(0), ended.mark(1)};
    }
    const auto more = std::string(2000, 'x');
    {
        const SmallDisk disk(100);
        CHECK_THROWS_AS(PartialRun(temporary / "run", run, 3, 2, resume, &marks), OutputError);
    }
    CHECK(read_partial_header(partial).ranks == 2);
    CHECK(names_in(partial / "records").contains("run.json"));
    CHECK_FALSE(names_in(partial / "records").contains("run.json.new"));
    {
        auto longer = run;
        longer.environment = "{\"warnings\": \"" + more + "\"}";
        PartialRun ended(partial);
        const SmallDisk disk(1000);
        CHECK_THROWS_WITH(ended.finish(longer), Contains("environment.json"));
    }
    recover(partial, temporary / "run", {});
    CHECK(read_text(temporary / "run" / "environment.json") == run.environment);
    CHECK(read_text(temporary / "run" / "spec.json") == run.spec + "\n");
}

TEST_CASE("a marker that is right already needs no room") {
    const TemporaryFolder temporary;
    const auto run = example_run();
    write_partial_header(temporary.path(), run, 2);
    const SmallDisk disk(20);
    write_partial_header(temporary.path(), run, 2);
    CHECK(read_partial_header(temporary.path()).run.environment + "\n" == run.environment);
}

TEST_CASE("a target that somebody took is not replaced") {
    const TemporaryFolder temporary;
    const auto run = example_run();
    PartialRun partial(temporary / "run", run, 2, 2, fresh);
    tell(partial, run);
    fs::create_directory(temporary / "run");
    partial.finish(run);
    CHECK_FALSE(partial.publish(temporary / "run"));
    CHECK(fs::is_empty(temporary / "run"));
    CHECK(partial.publish(temporary / "other"));
    CHECK(read_run_folder(temporary / "other").status == RunStatus::done);
}

TEST_CASE("a run that is continued replaces the interrupted one, and keeps records up to the marks") {
    const TemporaryFolder temporary;
    auto run = example_run();
    const auto nodes = by_node(run.records);
    const auto journals = temporary / "run.checkpoints" / "records";
    PartialMarks marks{.marks = {}, .journals = journals, .more = {}};
    {
        PartialRun first(temporary / "run", run, 2, 2, fresh);
        for (const auto& [node, records] : nodes) first.take(node, records);
        marks.marks = {first.mark(0), first.mark(1)};
        NodeRecords later;
        later.steps = {{0, 2, 3, 9.0, 0, 10, 1.0}};
        first.take(0, later);
        run.status = RunStatus::interrupted;
        first.finish(run);
        REQUIRE(first.publish(temporary / "run", journals));
    }
    CHECK(read_run_folder(temporary / "run").last_step == 3);
    run.status = RunStatus::done;
    PartialRun second(temporary / "run", run, 2, 2, resume, &marks);
    CHECK_FALSE(second.lost_records());
    CHECK(read_partial_run(second.path()).last_step == 2);
    CHECK_THAT(read_text(second.path() / "epochs.csv"), Contains("\n1,3.33333333,"));
    CHECK_THAT(read_text(second.path() / "steps.csv"), Contains("\n1,1,2,") && !Contains("\n0,2,3,"));
    second.take_weights(run.weights);
    second.finish(run);
    second.replace(temporary / "run");
    CHECK(read_run_folder(temporary / "run").last_step == 2);
    CHECK(read_run_folder(temporary / "run").status == RunStatus::done);
    CHECK_FALSE(fs::exists(temporary / "run.partial"));
    CHECK_FALSE(fs::exists(temporary / "run" / "records"));
    fs::remove(temporary / "run.checkpoints");
    PartialRun third(temporary / "again", run, 2, 2, resume, &marks);
    CHECK(third.lost_records());
}

TEST_CASE("a run that finds no room to go on leaves all that the process before had") {
    const TemporaryFolder temporary;
    const auto run = example_run();
    PartialMarks marks{.marks = {0, 0}, .journals = {}, .more = {}};
    const auto partial = temporary / "run.partial";
    const auto weights_before = partial / "weights-before.safetensors";
    {
        PartialRun ended(temporary / "run", run, 2, 2, fresh);
        tell(ended, run);
    }
    {
        const SmallDisk disk(100'000);
        CHECK_THROWS_WITH(PartialRun(temporary / "run", run, 2, 200'000, resume, &marks),
                          Contains("no room"));
    }
    CHECK(is_trained(partial));
    CHECK(read_partial_run(partial).steps == results_of(run).steps);
    {
        PartialRun second(temporary / "run", run, 2, 2, resume, &marks);
        CHECK(read_partial_run(partial).steps.empty());
        CHECK(read_bytes(weights_before) == run.weights);
    }
    CHECK_FALSE(is_trained(partial));
    PartialRun third(temporary / "run", run, 2, 2, resume, &marks);
    CHECK(read_bytes(weights_before) == run.weights);
    third.take_weights(run.weights);
    CHECK_FALSE(fs::exists(weights_before));
}

TEST_CASE("a run that cannot take the place of its earlier part keeps its journals, and is completed later") {
    const TemporaryFolder temporary;
    auto run = example_run();
    run.status = RunStatus::interrupted;
    write_run_folder(temporary / "run", run);
    run.status = RunStatus::done;
    run.resumed_from_steps = {7};
    {
        PartialMarks marks{.marks = {0, 0}, .journals = {}, .more = {}};
        PartialRun second(temporary / "run", run, 2, 2, resume, &marks);
        tell(second, run);
        second.finish(run);
        std::ofstream(temporary / "run" / "records") << "in the way";
        CHECK_THROWS_AS(second.replace(temporary / "run"), OutputError);
    }
    CHECK(JournalFolder(temporary / "run.partial" / "records").ranks().size() == 2);
    CHECK(is_trained(temporary / "run.partial"));
    fs::remove(temporary / "run" / "records");
    CHECK(recover(temporary / "run.partial", temporary / "run", {}, true).results.status == RunStatus::done);
    CHECK(read_run_folder(temporary / "run").resumed_from_steps == run.resumed_from_steps);
    CHECK_FALSE(fs::exists(temporary / "run" / "records"));
}

TEST_CASE("a run that goes back to a checkpoint keeps the records before it, and its tables are of these") {
    const TemporaryFolder temporary;
    auto run = example_run();
    PartialRun partial(temporary / "run", run, 2, 2, fresh);
    tell(partial, run);
    const auto whole = results_of(run).steps;
    PartialMarks marks{.marks = {partial.mark(0), partial.mark(1)}, .journals = {}, .more = {}};
    REQUIRE(marks.marks[0] > 0);
    const auto steps = read_text(partial.path() / "steps.csv");
    const auto nodes = by_node(run.records);
    for (const auto rank : {0, 1}) partial.take(rank, nodes.at(rank));
    CHECK(read_text(partial.path() / "steps.csv") != steps);
    run.resumed_from_steps = {2};
    partial.go_back(run, 2, marks);
    CHECK_FALSE(partial.lost_records());
    CHECK(read_partial_run(partial.path()).steps == whole);
    CHECK(read_partial_header(partial.path()).run.resumed_from_steps == run.resumed_from_steps);
    const auto rows = read_text(partial.path() / "steps.csv");
    CHECK(std::ranges::count(rows, '\n') == std::ranges::count(steps, '\n'));
    CHECK_FALSE(fs::exists(partial.path() / "weights.safetensors"));
    // To the beginning, from which all is told again.
    partial.go_back(run, 2, {});
    CHECK(read_partial_run(partial.path()).steps.empty());
    tell(partial, run);
    CHECK(partial.finish(run).steps == whole);
    CHECK_FALSE(fs::exists(partial.path() / "weights-before.safetensors"));
}

TEST_CASE("what is known of a run is told to the process that completes it") {
    const TemporaryFolder temporary;
    auto run = example_run();
    run.resumed_from_steps = {40};
    const auto partial = temporary / "run.partial";
    {
        PartialRun killed(temporary / "run", run, 2, 2, fresh);
        tell(killed, run);
        run.environment = "{\"warnings\": [\"lost\"]}";
        killed.describe(run);
    }
    CHECK(recover(partial, temporary / "run", {}).results.resumed_from_steps == run.resumed_from_steps);
    CHECK_THAT(read_text(temporary / "run" / "environment.json"), Contains("lost"));
}
