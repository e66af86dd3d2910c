#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "end_to_end/small_experiment.hpp"
#include "starters/mpirun.hpp"
#include "starters/programs.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

TEST_CASE("Open MPI's mpirun starts nodes that train to the same bits as local ones") {
    const TemporaryFolder folder;
    const auto local = run_spec(folder, spec_of_four(), "local");
    const auto out = folder / "results" / "mpi";
    const auto outcome = mpirun(4, {write_spec(folder, spec_of_four()), "--out", out.string()});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    check_same_weights(out, local);
    CHECK(json_of(out / "environment.json").at("nodes").size() == 4);
    // Neither the file by which they met, nor its token, is left.
    CHECK(names_in(folder / "results") == std::set<std::string>{"mpi"});
    CHECK(text_of(out / "environment.json").find("token") == std::string::npos);
}

TEST_CASE("the launcher is its own node beside the parameter server of an MPI job") {
    const TemporaryFolder folder;
    auto spec = spec_of_four();
    spec["strategy"] = {{"name", "parameter_server"}};
    const auto local = run_spec(folder, spec, "local");
    const auto outcome = mpirun(4, {write_spec(folder, spec), "--out", (folder / "mpi").string(),
                                    "--rendezvous", (folder / "meet").string()});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    check_same_weights(folder / "mpi", local);
    CHECK(fs::is_empty(folder / "meet"));
}

TEST_CASE("mpirun with another number of processes than nodes is an error with both") {
    const TemporaryFolder folder;
    const auto outcome = mpirun(2, {write_spec(folder, spec_of_four()), "--out", (folder / "mpi").string()});
    CHECK(outcome.code == 76);
    CHECK_THAT(outcome.err, Contains("OMPI_COMM_WORLD_SIZE is 2, and the spec has 4 nodes"));
    CHECK_FALSE(fs::exists(folder / "mpi"));
}

TEST_CASE("a process of mpirun that is told to be local starts all nodes itself") {
    const TemporaryFolder folder;
    const auto local = run_spec(folder, spec_of_four(), "local");
    const auto outcome = mpirun(
        1, {write_spec(folder, spec_of_four()), "--out", (folder / "alone").string(), "--starter", "local"});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    check_same_weights(folder / "alone", local);
}

TEST_CASE("the scripts for MPI train a spec, and the runs of a sweep") {
    const TemporaryFolder folder;
    const Environment environment(
        {{"CONVOY", CONVOY_PROGRAM}, {"MPIRUN", "mpirun --allow-run-as-root --oversubscribe"}});
    const auto scripts = fs::path(JOB_FILES) / "mpi";
    const auto local = run_spec(folder, spec_of_four(), "local");
    const auto one = run_words({(scripts / "run").string(), "4", write_spec(folder, spec_of_four()), "--out",
                                (folder / "mpi").string()});
    INFO(one.err);
    REQUIRE(one.code == 0);
    check_same_weights(folder / "mpi", local);

    auto base = spec_of_four();
    base["nodes"] = nodes(2);
    const auto sweep = write_spec(
        folder, {{"name", "two"}, {"base", base}, {"grid", {{"batch_size", {24, 48}}}}}, "sweep.json");
    const auto all = run_words({(scripts / "sweep").string(), "2", sweep, (folder / "sweep").string()});
    INFO(all.err);
    REQUIRE(all.code == 0);
    for (const auto& row : rows_of(folder / "sweep" / "runs.csv")) CHECK(row.at("state") == "done");
}

TEST_CASE("an error of process 0 ends the processes of mpirun") {
    const TemporaryFolder folder;
    fs::create_directory(folder / "taken");
    const auto outcome =
        mpirun(4, {write_spec(folder, spec_of_four()), "--out", (folder / "taken").string()});
    CHECK(outcome.code == 64);
    CHECK_THAT(outcome.err, Contains("taken"));
}
