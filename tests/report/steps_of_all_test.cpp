#include "report/steps_of_all.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "example_run.hpp"
#include "report/recovery.hpp"

using namespace convoy;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// A step of a node whose loss is its number; the nodes have examples as in example_run.
NodeRecords step_told(std::int64_t node, std::int64_t epoch, std::int64_t number) {
    NodeRecords records;
    records.steps.push_back({node, epoch, number, 4.0, 3, 10 + 10 * node, 1000, 600, 400});
    return records;
}

NodeRecords epoch_told(std::int64_t node, std::int64_t epoch) {
    NodeRecords records;
    records.operators = by_node(example_run().records).at(node).operators;
    for (auto& row : records.operators) row.epoch = epoch;
    records.epochs.push_back({node, epoch, {60, 8, 20}, {}, {}, 1.0, 0.5});
    return records;
}

/// What a process left that was killed: node 0 had told three steps and two epochs, node 1 less.
std::filesystem::path left_apart(const std::filesystem::path& target, const RunRecord& run) {
    PartialRun partial(target, run, 2, 0, PartialRun::Open::fresh);
    for (const std::int64_t node : {0, 1}) {
        partial.take(node, step_told(node, 1, 1));
        partial.take(node, epoch_told(node, 1));
        partial.take(node, step_told(node, 2, 2));
    }
    partial.take(0, step_told(0, 2, 3));
    partial.take(0, epoch_told(0, 2));
    return partial.path();
}

}  // namespace

TEST_CASE("tables of a killed run have the steps, epochs and operators that all nodes had told") {
    const TemporaryFolder temporary;
    const auto partial = left_apart(temporary / "run", example_run());
    const auto so_far = read_partial_run(partial);
    CHECK(so_far.last_step == 2);
    CHECK(so_far.steps.size() == 4);
    REQUIRE(so_far.epochs.size() == 1);
    CHECK(so_far.epochs.front().train_loss == 3.0);
    for (const auto& row : so_far.operators) CHECK(row.epoch == 1);
    CHECK_FALSE(so_far.operators.empty());

    const auto recovered = recover(partial, temporary / "run", {});
    CHECK(recovered.results.steps == so_far.steps);
    const auto kept = read_run_folder(temporary / "run");
    CHECK(kept.steps == so_far.steps);
    CHECK(kept.epochs == so_far.epochs);
    CHECK(kept.operators == so_far.operators);
    CHECK_THAT(read_text(temporary / "run" / "steps.csv"), !Contains("\n0,2,3,"));
    REQUIRE(recovered.warnings.size() == 1);
    CHECK_THAT(recovered.warnings.front(),
               Contains("steps up to 3 and their epochs up to 2, all nodes up to 2 "
                        "and 1; tables end there"));
    CHECK_THAT(read_text(temporary / "run" / "report.html"), Contains("tables end there"));
}

TEST_CASE("a run that is done, and nodes that have told all, set no limit") {
    const TemporaryFolder temporary;
    auto run = example_run();
    const JournalFolder journals(left_apart(temporary / "run", run) / "records");
    CHECK(steps_of_all(journals, 2, run).last_step == StepsOfAll::no_limit);
    run.status = RunStatus::interrupted;
    CHECK(steps_of_all(journals, 2, run).last_step == 2);
    CHECK(steps_of_all(journals, 2, run).last_epoch == 1);
    NodeRecords last;
    last.summaries = by_node(run.records).at(1).summaries;
    journals.append(1, last);
    CHECK(steps_of_all(journals, 2, run).last_step == 3);
    CHECK(steps_of_all(journals, 2, run).last_epoch == 2);
    CHECK_FALSE(steps_of_all(journals, 2, run).line);
}

TEST_CASE("a node whose journal is damaged costs the others no rows") {
    const TemporaryFolder temporary;
    const auto partial = left_apart(temporary / "run", example_run());
    std::ofstream(partial / "records" / "node-1.records", std::ios::app) << "these bytes are no frame";
    std::vector<std::string> lacking;
    CHECK(read_partial_run(partial, &lacking).last_step == 3);
    REQUIRE(lacking.size() == 1);
    CHECK_THAT(lacking.front(), Contains("the journal of node 1"));
}

TEST_CASE("a node that was killed while it told a step had not told it") {
    const TemporaryFolder temporary;
    auto run = example_run();
    run.status = RunStatus::interrupted;
    const JournalFolder journals(left_apart(temporary / "run", run) / "records");
    const auto before = fs::file_size(journals.records_of(1));
    const auto kept_bytes = GENERATE(5U, 20U);  // of the frame's head, and of its content
    journals.append(1, step_told(1, 2, 3));
    REQUIRE(fs::file_size(journals.records_of(1)) > before + 20);
    fs::resize_file(journals.records_of(1), before + kept_bytes);
    CHECK(steps_of_all(journals, 2, run).last_step == 2);
}

TEST_CASE("what was told before a run went on with other nodes is in its tables") {
    const TemporaryFolder temporary;
    auto run = example_run();
    run.status = RunStatus::interrupted;
    run.resumed_from_steps = {2};
    const JournalFolder journals(left_apart(temporary / "run", run) / "records");
    // Node 2 is new, and has told nothing; then less than the others.
    CHECK(steps_of_all(journals, 3, run).last_step == 2);
    CHECK(steps_of_all(journals, 3, run).last_epoch == 1);
    journals.append(1, step_told(1, 2, 3));
    journals.append(1, epoch_told(1, 2));
    journals.append(2, step_told(2, 2, 3));
    CHECK(steps_of_all(journals, 3, run).last_step == 3);
    CHECK(steps_of_all(journals, 3, run).last_epoch == 1);
}

TEST_CASE("nothing is in tables of a run one of whose nodes has told nothing") {
    const TemporaryFolder temporary;
    PartialRun partial(temporary / "run", example_run(), 2, 0, PartialRun::Open::fresh);
    partial.take(0, step_told(0, 1, 1));
    CHECK(read_partial_run(partial.path()).steps.empty());
}
