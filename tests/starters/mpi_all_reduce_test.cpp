#include <catch2/catch.hpp>
#include <string>

#include "end_to_end/small_experiment.hpp"
#include "starters/mpirun.hpp"
#include "starters/programs.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

nlohmann::json spec_of_mpi() {
    auto spec = spec_of_four();
    spec["strategy"] = {{"name", "ring_allreduce"}, {"algorithm", "mpi"}};
    return spec;
}

}  // namespace

#ifdef CONVOY_HAS_MPI

TEST_CASE("MPI_Allreduce sums the gradients of nodes that mpirun starts, as the ring does but for rounding") {
    const TemporaryFolder folder;
    const auto ring = run_spec(folder, spec_of_four(), "ring");
    auto spec = spec_of_mpi();
    spec["measure"] = {{"trace_steps", {{"from", 1}, {"count", 3}}}};
    const auto out = folder / "results" / "mpi";
    const auto outcome = mpirun(4, {write_spec(folder, spec), "--out", out.string()});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK_THAT(outcome.err, Contains("does not promise the same bits in each run"));
    check_same_losses(losses_of(out), losses_of(ring), 6);

    const auto summary = json_of(out / "summary.json");
    CHECK(summary.at("bits_independent_of_nodes") == false);
    CHECK(summary.at("communication").at("bytes_sent_per_node") == nlohmann::json(4, nullptr));
    CHECK(summary.at("communication").at("in_flight_us") > 0.0);
    CHECK(json_of(out / "spec.json").at("strategy").at("algorithm") == "mpi");
    int sums = 0;
    const auto trace = json_of(out / "trace.json");
    for (const auto& event : trace.at("traceEvents")) {
        if (event.value("cat", "") != "communication") continue;
        ++sums;
        CHECK(event.at("args").at("algorithm") == "mpi");
        CHECK(event.at("args").at("sent_bytes").is_null());
    }
    CHECK(sums > 0);
    for (const auto& row : rows_of(out / "system.csv")) CHECK(row.at("sent_bytes") == "");
}

TEST_CASE("sums by MPI and sums over convoy's own links go side by side") {
    const TemporaryFolder folder;
    auto spec = spec_of_mpi();
    spec["nodes"] = nodes(2);
    spec["strategy"]["overlap_forward"] = true;
    // The nodes agree on the score by a sum of their own.
    spec["target"] = {{"accuracy", 1.0}, {"stop", true}};
    const auto outcome = mpirun(2, {write_spec(folder, spec), "--out", (folder / "mpi").string()});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    spec["strategy"]["algorithm"] = "ring";
    check_same_losses(losses_of(folder / "mpi"), losses_of(run_spec(folder, spec, "ring")), 6);
}

TEST_CASE("a node that dies in a run with sums by MPI ends it with convoy's error") {
    const TemporaryFolder folder;
    auto spec = spec_of_mpi();
    spec["faults"] = {{{"node", 2}, {"step", 3}, {"kind", "kill"}}};
    const auto outcome = mpirun(4, {write_spec(folder, spec), "--out", (folder / "mpi").string()});
    INFO(outcome.err);
    CHECK(outcome.code != 0);
    CHECK_THAT(outcome.err, Contains("node 2"));
    CHECK_FALSE(fs::exists(folder / "mpi"));
}

TEST_CASE("a node that stands still in a run with sums by MPI ends it by the deadline") {
    const TemporaryFolder folder;
    auto spec = spec_of_mpi();
    spec["deadline_s"] = 1;
    spec["faults"] = {{{"node", 2}, {"step", 3}, {"kind", "deadlock"}}};
    const auto outcome = mpirun(4, {write_spec(folder, spec), "--out", (folder / "mpi").string()});
    INFO(outcome.err);
    CHECK(outcome.code != 0);
    CHECK_THAT(outcome.err, Contains("node"));
    CHECK_FALSE(fs::exists(folder / "mpi"));
}

TEST_CASE("without mpirun, sums by MPI are refused with the line to type") {
    const TemporaryFolder folder;
    const auto spec = write_spec(folder, spec_of_mpi());
    const auto run = run_words({CONVOY_PROGRAM, "run", spec, "--out", (folder / "out").string()});
    CHECK(run.code == 64);
    CHECK_THAT(run.err, Contains("$.strategy.algorithm: found \"mpi\"") &&
                            Contains("type `mpirun -np 4 convoy run SPEC`"));
    const auto sweep =
        write_spec(folder, {{"name", "s"}, {"base", spec_of_mpi()}, {"grid", {{"seed", {1}}}}}, "sweep.json");
    const auto all = run_words({CONVOY_PROGRAM, "sweep", sweep, "--out", (folder / "sweep").string()});
    CHECK(all.code != 0);
    CHECK_THAT(all.err, Contains("scripts/mpi/sweep"));
    // A plan needs no nodes.
    const auto plan = run_words({CONVOY_PROGRAM, "plan", spec});
    CHECK(plan.code == 0);
    CHECK_THAT(plan.out, Contains("mpi of float32") && Contains("an unknown number of bytes sent by MPI"));
    const Environment torchrun(
        {{"RANK", "0"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "localhost"}, {"MASTER_PORT", "29500"}});
    const auto other = run_words({CONVOY_PROGRAM, "run", spec, "--out", (folder / "out").string()});
    CHECK(other.code == 64);
    CHECK_THAT(other.err, Contains("mpirun did not start the nodes"));
}

TEST_CASE("the program says that it has Open MPI") {
    CHECK_THAT(run_words({CONVOY_PROGRAM, "--version"}).out, Contains("with Open MPI"));
}

#else

TEST_CASE("without Open MPI, sums by MPI are refused with the package to install") {
    const TemporaryFolder folder;
    const auto outcome = mpirun(4, {write_spec(folder, spec_of_mpi()), "--out", (folder / "mpi").string()});
    CHECK(outcome.code == 64);
    CHECK_THAT(outcome.err, Contains("built without Open MPI") && Contains("libopenmpi-dev"));
    CHECK(run_words({CONVOY_PROGRAM, "--version"}).out.find("Open MPI") == std::string::npos);
}

#endif
