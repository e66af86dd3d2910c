#include "report/partial_run.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "example_run.hpp"
#include "report/recovery.hpp"
#include "support/small_disk.hpp"

using namespace convoy;
namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using enum PartialRun::Open;

namespace {

struct stat status_of(const fs::path& file) {
    struct stat status {};
    REQUIRE(::stat(file.c_str(), &status) == 0);
    return status;
}

/// What a worker with this rank tells of these steps, with one example in each.
NodeRecords steps_told_by(std::int64_t rank, std::int64_t first, std::int64_t last) {
    NodeRecords told;
    for (auto step = first; step <= last; ++step) {
        auto& row = told.steps.emplace_back();
        row.node = rank;
        row.epoch = 1;
        row.step = step;
        row.examples = 1;
    }
    return told;
}

}  // namespace

TEST_CASE("where nodes go on apart, rows keep the ranks of the beginning, and none is taken for another") {
    const TemporaryFolder temporary;
    const auto run = example_run();
    PartialRun partial(temporary / "run", run, 3, 0, fresh);
    partial.take(0, steps_told_by(0, 1, 1));
    partial.take(1, steps_told_by(1, 1, 4));
    partial.take(2, steps_told_by(2, 1, 2));
    const std::vector<std::int64_t> places{1, 2};
    partial.go_on_apart(places, run);
    partial.take(0, steps_told_by(0, 5, 6));
    auto last = steps_told_by(1, 3, 6);  // rank 1 has told the steps 3 and 4 before
    last.updates.push_back({});
    last.updates.back().node = last.updates.back().worker = 1;
    partial.take(1, std::move(last));
    // Nothing waits for rank 0, though the run is not done.
    const auto results = read_partial_run(partial.path());
    std::map<std::int64_t, std::vector<std::int64_t>> steps;
    for (const auto& row : results.steps) steps[row.node].push_back(row.step);
    const std::vector<std::int64_t> all{1, 2, 3, 4, 5, 6};
    CHECK(steps == std::map<std::int64_t, std::vector<std::int64_t>>{{0, {1}}, {1, all}, {2, all}});
    REQUIRE(results.updates.size() == 1);
    CHECK(results.updates[0].worker == 2);
    const auto& nodes = results.summaries;
    REQUIRE(nodes.size() == 3);
    CHECK(nodes[0].steps == 1);
    CHECK(nodes[2].steps == 6);
}

TEST_CASE("an epoch waits for each node that is there, also where a lost one has told it") {
    const TemporaryFolder temporary;
    const auto run = example_run();
    PartialRun partial(temporary / "run", run, 3, 0, fresh);
    const auto epoch_of = [](std::int64_t rank) {
        NodeRecords told;
        auto& row = told.epochs.emplace_back();
        row.node = rank;
        row.epoch = 1;
        return told;
    };
    const auto rows = [&] {
        const auto text = read_text(temporary / "run.partial" / "epochs.csv");
        return std::ranges::count(text, '\n') - 1;
    };
    partial.take(1, epoch_of(1));
    const std::vector<std::int64_t> places{0, 2};
    partial.go_on_apart(places, run);
    partial.take(0, epoch_of(0));
    CHECK(rows() == 0);
    partial.take(1, epoch_of(1));  // of the node at place 2
    CHECK(rows() == 1);
}

TEST_CASE("records are on disk as soon as they are told, in the form of the run folder's tables") {
    const TemporaryFolder temporary;
    const auto run = example_run();
    PartialRun partial(temporary / "run", run, 2, 100, fresh);
    CHECK(names_in(temporary.path()) == std::set<std::string>{"run.partial"});
    const auto nodes = by_node(run.records);
    const auto epochs = temporary / "run.partial" / "epochs.csv";
    partial.take(1, nodes.at(1));
    CHECK_THAT(read_text(temporary / "run.partial" / "steps.csv"), Contains("\n1,1,1,3,"));
    CHECK_THAT(read_text(epochs), !Contains("\n1,"));
    partial.take(0, nodes.at(0));
    CHECK_THAT(read_text(epochs), Contains("\n1,3.33333333,0.266666667,"));
    const auto so_far = read_partial_run(partial.path());
    CHECK(so_far.status == RunStatus::running);
    CHECK(so_far.steps == results_of(run).steps);
}

TEST_CASE("a run's folder of partial results has one process") {
    const TemporaryFolder temporary;
    const PartialRun first(temporary / "run", example_run(), 2, 0, fresh);
    CHECK(is_held(first.path()));
    CHECK_THROWS_WITH(PartialRun(temporary / "run", example_run(), 2, 0, fresh),
                      Contains("another convoy process"));
}

TEST_CASE("nothing is left of a run that trained nothing") {
    const TemporaryFolder temporary;
    const auto refuse = [] { throw UsageError("made meanwhile"); };
    CHECK_THROWS_WITH(PartialRun(temporary / "run", example_run(), 2, 0, fresh, nullptr, refuse),
                      "made meanwhile");
    CHECK(names_in(temporary.path()).empty());
    { const PartialRun partial(temporary / "run", example_run(), 2, 100, fresh); }
    CHECK(names_in(temporary.path()).empty());
}

TEST_CASE("results of an ended run are kept unless they are to be trained again") {
    const TemporaryFolder temporary;
    const auto run = example_run();
    {
        PartialRun ended(temporary / "run", run, 2, 0, fresh);
        tell(ended, run);
    }
    CHECK_THROWS_WITH(PartialRun(temporary / "run", run, 2, 0, fresh),
                      Contains("convoy recover") && Contains("--resume"));
    CHECK(read_partial_run(temporary / "run.partial").status == RunStatus::interrupted);
    { const PartialRun other(temporary / "run", run, 2, 0, again); }
    CHECK(names_in(temporary.path()).empty());
}

TEST_CASE("a folder that convoy did not make is not touched") {
    const TemporaryFolder temporary;
    fs::create_directory(temporary / "run.partial");
    std::ofstream(temporary / "run.partial" / "thesis.tex") << "x";
    for (const auto open : {fresh, again})
        CHECK_THROWS_WITH(PartialRun(temporary / "run", example_run(), 2, 0, open),
                          Contains("is not a run of convoy"));
    CHECK(names_in(temporary / "run.partial") == std::set<std::string>{"thesis.tex"});
}

TEST_CASE("room for the weights is kept from the start, so a full disk cannot refuse them at the end") {
    const TemporaryFolder temporary;
    auto run = example_run();
    {
        const SmallDisk disk(100'000);
        CHECK_THROWS_WITH(PartialRun(temporary / "big", run, 2, 200'000, fresh),
                          Contains("no room for the 200000 bytes of the weights"));
    }
    CHECK(names_in(temporary.path()).empty());
    run.weights.assign(50'000, std::byte{7});
    PartialRun partial(temporary / "run", run, 2, 60'000, fresh);
    const auto reserved = status_of(partial.path() / "records" / "weights.reserved");
    CHECK(reserved.st_size == 60'000);
    CHECK(reserved.st_blocks * 512 >= 60'000);
    partial.take_weights(run.weights);
    // In the same place on the disk: nothing had to be found for them.
    CHECK(status_of(partial.path() / "weights.safetensors").st_ino == reserved.st_ino);
    CHECK(read_bytes(partial.path() / "weights.safetensors") == run.weights);
}
