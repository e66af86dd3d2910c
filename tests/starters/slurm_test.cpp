#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "end_to_end/small_experiment.hpp"
#include "starters/programs.hpp"
#include "starters/slurm_cluster.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// `convoy run` as so many tasks of a step.
ProgramOutcome srun(int tasks, const std::vector<std::string>& run) {
    std::vector<std::string> words{path_of_program("srun"), "--kill-on-bad-exit=1", "-n",
                                   std::to_string(tasks),   CONVOY_PROGRAM,         "run"};
    words.insert(words.end(), run.begin(), run.end());
    return run_words(words);
}

}  // namespace

TEST_CASE("Slurm's srun starts nodes that train to the same bits as local ones") {
    const SlurmCluster slurm;
    const TemporaryFolder folder;
    const auto local = run_spec(folder, spec_of_four(), "local");
    const auto spec = write_spec(folder, spec_of_four());
    const auto out = folder / "results" / "slurm";
    const auto outcome = srun(4, {spec, "--out", out.string()});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    check_same_weights(out, local);
    CHECK(names_in(folder / "results") == std::set<std::string>{"slurm"});

    SECTION("another number of tasks than nodes is an error with both") {
        const auto refused = srun(2, {spec, "--out", (folder / "two").string()});
        CHECK(refused.code == 76);
        CHECK_THAT(refused.err, Contains("SLURM_NTASKS is 2, and the spec has 4 nodes"));
        const auto one = srun(1, {spec, "--out", (folder / "one").string()});
        CHECK(one.code == 76);
        CHECK_THAT(one.err, Contains("SLURM_NTASKS is 1, and the spec has 4 nodes") &&
                                Contains("--starter local starts all nodes here"));
        CHECK_FALSE(fs::exists(folder / "one"));
    }
}

TEST_CASE("the job files for Slurm train a spec, and a sweep as a job array whose results are collected") {
    const SlurmCluster slurm;
    const TemporaryFolder folder;
    const EnvironmentVariable program("CONVOY", CONVOY_PROGRAM);
    const auto job = fs::path(JOB_FILES) / "slurm";
    const auto local = run_spec(folder, spec_of_four(), "local");
    const auto log = (folder / "run.log").string();
    const auto one = run_words({path_of_program("sbatch"), "--wait", "-n", "4", "--output=" + log,
                                (job / "run.sbatch").string(), write_spec(folder, spec_of_four()), "--out",
                                (folder / "job").string()});
    INFO(one.err);
    REQUIRE(one.code == 0);
    check_same_weights(folder / "job", local);

    auto base = spec_of_four();
    base["nodes"] = nodes(2);
    const auto sweep = write_spec(
        folder, {{"name", "two"}, {"base", base}, {"grid", {{"batch_size", {24, 48}}}}}, "sweep.json");
    const auto results = folder / "sweep";
    const auto submitted = run_words({(job / "sweep").string(), sweep, results.string(), "-n", "2"});
    INFO(submitted.out << submitted.err);
    REQUIRE(submitted.code == 0);
    // A job that depends on the one that collects ends after it.
    const auto last = submitted.out.substr(submitted.out.find("and job ") + 8);
    const auto waited = run_words({path_of_program("sbatch"), "--wait", "--output=" + log,
                                   "--dependency=afterany:" + last.substr(0, last.find(' ')), "--wrap=true"});
    REQUIRE(waited.code == 0);
    const auto rows = rows_of(results / "runs.csv");
    REQUIRE(rows.size() == 2);
    for (const auto& row : rows) CHECK(row.at("state") == "done");
    const auto progress = run_words({(job / "sweep").string(), "--progress", sweep, results.string()});
    CHECK_THAT(progress.out, Contains("done") && !Contains("pending"));
}

TEST_CASE("in a batch script of Slurm, convoy starts all nodes itself, and mpirun and srun start them") {
    const SlurmCluster slurm;
    const TemporaryFolder folder;
    const auto local = run_spec(folder, spec_of_four(), "local");
    const auto spec = write_spec(folder, spec_of_four());
    const auto run =
        std::string(CONVOY_PROGRAM) + " run " + spec + " --quiet --out " + folder.path().string() + "/";
    const auto outcome =
        slurm.run_script("set -ex\n" + run + "alone\nsrun " + run + "step\nsrun " + run +
                             "second_step\nmpirun --allow-run-as-root --oversubscribe -np 4 " + run + "mpi\n",
                         {"-n", "4"});
    INFO(outcome.out << outcome.err);
    REQUIRE(outcome.code == 0);
    for (const auto* name : {"alone", "step", "second_step", "mpi"}) check_same_weights(folder / name, local);
}
