#include <signal.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "end_to_end/convoy_process.hpp"
#include "end_to_end/small_experiment.hpp"
#include "starters/free_port.hpp"
#include "starters/programs.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

using Processes = std::vector<std::unique_ptr<ConvoyProcess>>;

/// Starts `convoy run` four times, with torchrun's variables and more.
Processes start_four(const std::vector<std::string>& arguments, const Pairs& more) {
    const auto port = std::to_string(free_port());
    std::vector<std::unique_ptr<ConvoyProcess>> processes;
    // Process 0 comes last, and the others wait for it.
    for (const auto* rank : {"3", "2", "1", "0"}) {
        auto variables = more;
        variables.insert(
            variables.end(),
            {{"RANK", rank}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "localhost"}, {"MASTER_PORT", port}});
        const Environment environment(variables);
        processes.push_back(std::make_unique<ConvoyProcess>(arguments));
    }
    return processes;
}

void run_four(const std::vector<std::string>& arguments, const Pairs& more) {
    const auto processes = start_four(arguments, more);
    for (const auto& process : processes) {
        const auto outcome = process->wait();
        INFO(outcome.err);
        CHECK(outcome.code == 0);
    }
}

void check_refused(const Pairs& variables, const std::vector<std::string>& more, int code,
                   const std::string& words) {
    const TemporaryFolder folder;
    const Environment environment(variables);
    std::vector<std::string> arguments{"run", write_spec(folder, spec_of_four()), "--out",
                                       (folder / "out").string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto outcome = run_convoy(arguments);
    CHECK(outcome.code == code);
    CHECK_THAT(outcome.err, Contains(words));
    CHECK(names_in(folder.path()) == std::set<std::string>{"spec.json"});
}

}  // namespace

TEST_CASE("processes with torchrun's variables train to the same bits as local ones") {
    const TemporaryFolder folder;
    const auto local = run_spec(folder, spec_of_four(), "local");
    const auto spec = write_spec(folder, spec_of_four());
    SECTION("by a file that has the token") {
        run_four({"run", spec, "--out", (folder / "results" / "out").string()}, {});
        CHECK(names_in(folder / "results") == std::set<std::string>{"out"});
    }
    SECTION("by a token that all know, without a file") {
        run_four({"run", spec, "--out", (folder / "results" / "out").string(), "--rendezvous",
                  (folder / "nowhere").string()},
                 {{"CONVOY_TOKEN", "swordfish-swordfish"}});
        CHECK_FALSE(fs::exists(folder / "nowhere"));
    }
    SECTION("under TLS") {
        run_four({"run", spec, "--out", (folder / "results" / "out").string(), "--tls"}, {});
    }
    SECTION("where torchrun's agent has the port") {
        run_four({"run", spec, "--out", (folder / "results" / "out").string()},
                 {{"TORCHELASTIC_USE_AGENT_STORE", "True"}});
    }
    check_same_weights(folder / "results" / "out", local);
}

TEST_CASE("what an ended launcher left where processes meet is not taken") {
    const TemporaryFolder folder;
    const auto local = run_spec(folder, spec_of_four(), "local");
    const auto spec = write_spec(folder, spec_of_four());
    const auto left = folder / "convoy-torchrun-localhost-1-same.rendezvous";
    std::ofstream(left) << R"({"endpoint": "127.0.0.1:)" << free_port() << R"(", "token": "old"})";
    fs::permissions(left, fs::perms::owner_read | fs::perms::owner_write);
    std::vector<std::unique_ptr<ConvoyProcess>> processes;
    for (const auto* rank : {"3", "2", "1", "0"}) {
        const Environment environment({{"RANK", rank},
                                       {"WORLD_SIZE", "4"},
                                       {"MASTER_ADDR", "localhost"},
                                       {"MASTER_PORT", "1"},
                                       {"TORCHELASTIC_RUN_ID", "same"},
                                       {"TORCHELASTIC_USE_AGENT_STORE", "True"}});
        processes.push_back(std::make_unique<ConvoyProcess>(
            std::vector<std::string>{"run", spec, "--out", (folder / "out").string()}));
    }
    for (const auto& process : processes) CHECK(process->wait().code == 0);
    check_same_weights(folder / "out", local);
    CHECK_FALSE(fs::exists(left));
}

TEST_CASE(
    "a signal that all processes of a world get stops them before the same step, and results are kept") {
    const TemporaryFolder folder;
    auto spec = long_spec();
    spec["nodes"] = nodes(4);
    const auto out = folder / "out";
    const auto processes = start_four({"run", write_spec(folder, spec), "--out", out.string()}, {});
    auto& launcher = *processes.back();
    REQUIRE(launcher.wait_for_error_text("epoch 1/"));
    auto all = launcher.children();
    REQUIRE(all.size() == 1);
    for (const auto& process : processes) all.push_back(process->pid());
    for (const auto pid : all) ::kill(pid, SIGTERM);
    const auto outcome = launcher.wait();
    INFO(outcome.err);
    CHECK(outcome.code == 130);
    CHECK_THAT(outcome.err, Contains("the finished part is kept"));
    CHECK(json_of(out / "summary.json").at("status") == "interrupted");
    for (std::size_t i = 0; i + 1 < processes.size(); ++i) CHECK(processes[i]->wait().code == 0);
}

TEST_CASE("variables that contradict each other, the spec or an option are refused before anything begins") {
    const Pairs mpi{{"OMPI_COMM_WORLD_RANK", "0"},
                    {"OMPI_COMM_WORLD_SIZE", "4"},
                    {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                    {"PMIX_NAMESPACE", "1"}};
    const auto with = [](Pairs pairs, const Pairs& more) {
        pairs.insert(pairs.end(), more.begin(), more.end());
        return pairs;
    };
    check_refused(with(mpi, {{"RANK", "1"}}), {}, 76, "RANK is 1, and OMPI_COMM_WORLD_RANK is 0");
    check_refused(mpi, {"--set", "nodes=3"}, 76, "OMPI_COMM_WORLD_SIZE is 4, and the spec has 3 nodes");
    check_refused(mpi, {"--await", "3"}, 76, "--await is 3, and OMPI_COMM_WORLD_SIZE is 4");
    check_refused({{"RANK", "0"}}, {}, 64, "WORLD_SIZE is missing");
    check_refused({{"WORLD_SIZE", "4"}, {"RANK", "x"}}, {}, 64, "RANK is 'x'");
    check_refused({{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "0"}}, {}, 64, "SLURM_NTASKS is missing");
    check_refused({}, {"--starter", "slurm"}, 64, "SLURM_STEP_ID is missing");
    check_refused({}, {"--starter", "pvm"}, 64, "--starter: found \"pvm\"");
    check_refused({{"SLURM_JOB_ID", "1"},
                   {"SLURM_STEP_ID", "0"},
                   {"SLURM_PROCID", "0"},
                   {"SLURM_NTASKS", "4"},
                   {"SLURM_STEP_NUM_NODES", "2"}},
                  {"--listen", "127.0.0.1"}, 69, "SLURM_STEP_NUM_NODES is 2");
    check_refused(with(mpi, {{"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", "0"}}), {}, 64,
                  "MASTER_PORT is '0'");
}

TEST_CASE("commands that start nodes themselves are refused in a world") {
    const Environment environment({{"OMPI_COMM_WORLD_RANK", "0"},
                                   {"OMPI_COMM_WORLD_SIZE", "4"},
                                   {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                                   {"PMIX_NAMESPACE", "1"}});
    const TemporaryFolder folder;
    const auto spec = write_spec(folder, spec_of_four());
    const auto sweep =
        write_spec(folder, {{"base", spec_of_four()}, {"grid", {{"batch_size", {24}}}}}, "sweep.json");
    for (const auto& words :
         std::vector<std::vector<std::string>>{{"sweep", sweep, "--out", (folder / "out").string()},
                                               {"calibrate", spec, "--out", (folder / "c").string()},
                                               {"bench", "allreduce"}}) {
        const auto refused = run_convoy(words);
        INFO(words[0] << ": " << refused.err);
        CHECK(refused.code == 64);
        CHECK_THAT(refused.err, Contains("OMPI_COMM_WORLD_SIZE is 4: only `convoy run`"));
    }
}

TEST_CASE("a batch script of Slurm outside of srun starts all nodes itself") {
    const TemporaryFolder folder;
    const Environment environment(
        {{"SLURM_JOB_ID", "17"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "3"}, {"SLURM_NNODES", "1"}});
    CHECK_NOTHROW(run_spec(folder, spec_of_four(), "out"));
}
