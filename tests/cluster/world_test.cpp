#include "cluster/world.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "base/error.hpp"

using Catch::Matchers::Contains;
using convoy::cores_of_process;
using convoy::DisagreementError;
using convoy::find_world;
using convoy::is_of_open_mpi;
using convoy::Starting;
using convoy::UsageError;
using convoy::Variables;

namespace {

// As these launchers set them, in Debian 12.
const Variables by_mpi{{"OMPI_COMM_WORLD_RANK", "2"},
                       {"OMPI_COMM_WORLD_SIZE", "4"},
                       {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                       {"PMIX_NAMESPACE", "891355137"}};
const Variables by_srun{{"SLURM_JOB_ID", "17"},        {"SLURM_STEP_ID", "0"},
                        {"SLURM_PROCID", "2"},         {"SLURM_NTASKS", "4"},
                        {"SLURM_NNODES", "2"},         {"SLURM_STEP_NUM_TASKS", "4"},
                        {"SLURM_STEP_NUM_NODES", "2"}, {"SLURM_STEP_TASKS_PER_NODE", "2(x2)"},
                        {"SLURM_NODEID", "1"},         {"SLURM_LAUNCH_NODE_IPADDR", "10.0.0.9"}};
const Variables by_torchrun{{"RANK", "2"},
                            {"WORLD_SIZE", "4"},
                            {"LOCAL_WORLD_SIZE", "4"},
                            {"MASTER_ADDR", "node7"},
                            {"MASTER_PORT", "29500"}};
const Variables in_batch_script{{"SLURM_JOB_ID", "17"},
                                {"SLURM_PROCID", "0"},
                                {"SLURM_NTASKS", "4"},
                                {"SLURM_NNODES", "2"},
                                {"SLURM_LOCALID", "0"}};

Variables with(Variables variables, const Variables& more) {
    for (const auto& [name, value] : more) variables[name] = value;
    return variables;
}

Variables without(Variables variables, const std::string& name) {
    variables.erase(name);
    return variables;
}

}  // namespace

TEST_CASE("a world is found by the variables of each launcher") {
    const auto mpi = find_world(by_mpi, Starting::automatic);
    REQUIRE(mpi);
    CHECK(mpi->rank.value == 2);
    CHECK(mpi->size.value == 4);
    CHECK(mpi->size.variable == "OMPI_COMM_WORLD_SIZE");
    CHECK(mpi->name == "mpi-891355137");
    CHECK(mpi->several_hosts.empty());
    CHECK(mpi->processes_here == 4);

    const auto slurm = find_world(by_srun, Starting::automatic);
    REQUIRE(slurm);
    CHECK(slurm->rank.value == 2);
    CHECK(slurm->size.value == 4);
    CHECK(slurm->name == "slurm-17-0");
    CHECK(slurm->several_hosts == "SLURM_STEP_NUM_NODES is 2");
    CHECK(slurm->processes_here == 2);
    CHECK(slurm->master.empty());

    const auto torchrun = find_world(by_torchrun, Starting::automatic);
    REQUIRE(torchrun);
    CHECK(torchrun->rank.value == 2);
    CHECK(torchrun->size.value == 4);
    CHECK(torchrun->name == "torchrun-node7-29500");
    CHECK(torchrun->master == "node7");
    CHECK(torchrun->master_port == 29500);
    CHECK(torchrun->several_hosts.empty());
}

TEST_CASE("there is no world without variables, nor in a batch script of Slurm outside of srun") {
    CHECK_FALSE(find_world({}, Starting::automatic));
    CHECK_FALSE(find_world({{"PATH", "/bin"}, {"LOCAL_RANK", "0"}}, Starting::automatic));
    CHECK_FALSE(find_world(in_batch_script, Starting::automatic));
    // The batch script's own step, and that of an interactive salloc.
    for (const auto* step : {"4294967291", "4294967290"})
        CHECK_FALSE(find_world(with(in_batch_script, {{"SLURM_STEP_ID", step}}), Starting::automatic));
}

TEST_CASE("a world that is local is none, and a named one does not read the others") {
    CHECK_FALSE(find_world(by_mpi, Starting::local));
    const auto both = with(with(by_mpi, by_torchrun), {{"RANK", "0"}});
    CHECK(find_world(both, Starting::mpi)->rank.value == 2);
    CHECK(find_world(both, Starting::torchrun)->rank.value == 0);
    CHECK_THROWS_AS(find_world(both, Starting::slurm), UsageError);
    CHECK_THROWS_WITH(find_world(by_mpi, Starting::torchrun), Contains("RANK is missing"));
    CHECK_THROWS_WITH(find_world({}, Starting::mpi), Contains("OMPI_COMM_WORLD_RANK is missing"));
    CHECK_THROWS_WITH(find_world(in_batch_script, Starting::slurm), Contains("SLURM_STEP_ID is missing"));
}

TEST_CASE("two sources that differ are an error with both values") {
    const auto check = [](const Variables& variables, const std::string& words) {
        CHECK_THROWS_AS(find_world(variables, Starting::automatic), DisagreementError);
        CHECK_THROWS_WITH(find_world(variables, Starting::automatic), Contains(words));
    };
    check(with(with(by_mpi, by_torchrun), {{"RANK", "1"}}), "RANK is 1, and OMPI_COMM_WORLD_RANK is 2");
    check(with(with(by_mpi, by_torchrun), {{"WORLD_SIZE", "8"}}),
          "WORLD_SIZE is 8, and OMPI_COMM_WORLD_SIZE is 4");
    check(with(by_srun, {{"RANK", "0"}}), "RANK is 0, and SLURM_PROCID is 2");
    check(with(by_srun, {{"WORLD_SIZE", "1"}}), "WORLD_SIZE is 1, and SLURM_NTASKS is 4");
    check(with(by_srun, {{"SLURM_STEP_NUM_TASKS", "3"}}), "SLURM_NTASKS is 4, and SLURM_STEP_NUM_TASKS is 3");
    check(with(with(by_mpi, by_srun), {{"SLURM_PROCID", "3"}}),
          "OMPI_COMM_WORLD_RANK is 2, and SLURM_PROCID is 3");
    // An mpirun around the srun, and not within.
    check(with(with(by_mpi, by_srun), {{"OMPI_COMM_WORLD_RANK", "0"},
                                       {"OMPI_COMM_WORLD_SIZE", "1"},
                                       {"OMPI_COMM_WORLD_LOCAL_SIZE", "1"}}),
          "OMPI_COMM_WORLD_SIZE is 1, and SLURM_NTASKS is 4");
    CHECK(find_world(with(by_mpi, {{"RANK", "2"}}), Starting::automatic)->size.value == 4);
}

TEST_CASE("a Slurm step that has only the daemons of another launcher is no world") {
    const Variables daemons{{"SLURM_JOB_ID", "17"}, {"SLURM_STEP_ID", "1"}, {"SLURM_PROCID", "1"},
                            {"SLURM_NTASKS", "2"},  {"SLURM_NNODES", "2"},  {"SLURM_STEP_NUM_NODES", "2"}};
    const auto mpi = find_world(with(by_mpi, daemons), Starting::automatic);
    REQUIRE(mpi);
    CHECK(mpi->size.variable == "OMPI_COMM_WORLD_SIZE");
    const auto torchrun = find_world(with(by_torchrun, daemons), Starting::automatic);
    REQUIRE(torchrun);
    CHECK(torchrun->size.variable == "WORLD_SIZE");
    CHECK(torchrun->size.value == 4);
}

TEST_CASE("a part of a world is an error and not a world of one") {
    for (const auto& world : {by_mpi, without(without(by_srun, "SLURM_STEP_TASKS_PER_NODE"), "SLURM_NODEID"),
                              without(by_torchrun, "LOCAL_WORLD_SIZE")}) {
        for (const auto& [name, value] : world) {
            // Without it there is no world, or another variable has the same.
            if (name == "SLURM_STEP_ID" || name == "SLURM_LAUNCH_NODE_IPADDR" ||
                name == "SLURM_STEP_NUM_TASKS" || name == "SLURM_STEP_NUM_NODES" || name == "SLURM_NNODES")
                continue;
            INFO(name);
            CHECK_THROWS_WITH(find_world(without(world, name), Starting::automatic), Contains(" is missing"));
            CHECK_THROWS_WITH(find_world(with(world, {{name, ""}}), Starting::automatic),
                              Contains(name + " is empty"));
        }
    }
    for (const auto* name : {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"})
        CHECK_THROWS_AS(find_world({{name, "1"}}, Starting::automatic), UsageError);
    CHECK_THROWS_WITH(find_world(with(by_srun, {{"MASTER_ADDR", "node7"}}), Starting::automatic),
                      Contains("MASTER_PORT is missing"));
}

TEST_CASE("variables of a world that are no such numbers are errors") {
    const auto check = [](const Variables& world, const std::string& name, const std::string& value) {
        CHECK_THROWS_AS(find_world(with(world, {{name, value}}), Starting::automatic), UsageError);
        CHECK_THROWS_WITH(find_world(with(world, {{name, value}}), Starting::automatic),
                          Contains(name + " is '" + value + "'"));
    };
    for (const auto* value : {"-1", "4", "2x", "0x2", " 2", "99999999999999999999"}) {
        check(by_mpi, "OMPI_COMM_WORLD_RANK", value);
        check(by_srun, "SLURM_PROCID", value);
        check(by_torchrun, "RANK", value);
    }
    for (const auto* value : {"0", "-4", "1000001", "four"}) {
        check(by_mpi, "OMPI_COMM_WORLD_SIZE", value);
        check(by_srun, "SLURM_NTASKS", value);
        check(by_torchrun, "WORLD_SIZE", value);
    }
    check(by_mpi, "OMPI_COMM_WORLD_LOCAL_SIZE", "5");
    check(by_srun, "SLURM_STEP_NUM_NODES", "5");
    check(by_srun, "SLURM_STEP_ID", "batch");
    check(by_torchrun, "MASTER_PORT", "65536");
    check(by_torchrun, "LOCAL_WORLD_SIZE", "0");
}

TEST_CASE("the port of torchrun's own agent is not taken") {
    const auto world = find_world(with(by_torchrun, {{"TORCHELASTIC_USE_AGENT_STORE", "True"},
                                                     {"TORCHELASTIC_RUN_ID", "a/b"},
                                                     {"TORCHELASTIC_RESTART_COUNT", "1"}}),
                                  Starting::automatic);
    REQUIRE(world);
    CHECK(world->master == "node7");
    CHECK(world->master_port == 0);
    CHECK(world->name == "torchrun-node7-29500-a_b-1");
}

TEST_CASE("a world knows whether it is on several hosts") {
    CHECK(
        find_world(with(by_mpi, {{"OMPI_COMM_WORLD_LOCAL_SIZE", "3"}}), Starting::automatic)->several_hosts ==
        "OMPI_COMM_WORLD_LOCAL_SIZE is 3 of 4");
    CHECK(find_world(with(by_torchrun, {{"LOCAL_WORLD_SIZE", "1"}}), Starting::automatic)->several_hosts ==
          "LOCAL_WORLD_SIZE is 1 of 4");
    const auto one_host = find_world(with(by_srun, {{"SLURM_STEP_NUM_NODES", "1"}, {"SLURM_NODEID", "0"}}),
                                     Starting::automatic);
    CHECK(one_host->several_hosts.empty());
    CHECK(one_host->processes_here == 4);
    CHECK(find_world(without(by_srun, "SLURM_STEP_NUM_NODES"), Starting::automatic)->several_hosts ==
          "SLURM_NNODES is 2");
}

TEST_CASE("the tasks of a host are found in Slurm's list") {
    const auto here = [](const char* list, const char* host) {
        return find_world(with(by_srun, {{"SLURM_NTASKS", "9"},
                                         {"SLURM_STEP_NUM_TASKS", "9"},
                                         {"SLURM_STEP_NUM_NODES", "4"},
                                         {"SLURM_STEP_TASKS_PER_NODE", list},
                                         {"SLURM_NODEID", host}}),
                          Starting::automatic)
            ->processes_here;
    };
    CHECK(here("3,2(x2),2", "0") == 3);
    CHECK(here("3,2(x2),4", "1") == 2);
    CHECK(here("3,2(x2),4", "2") == 2);
    CHECK(here("3,2(x2),4", "3") == 4);
    for (const auto* nonsense : {"x", "-3", "3,", "0(x4)", "3(x", ",,"}) CHECK(here(nonsense, "3") == 1);
}

TEST_CASE("the world must have a process for each node of the spec") {
    const auto world = find_world(by_srun, Starting::automatic).value();
    CHECK_NOTHROW(convoy::require_nodes(world, 4));
    CHECK_THROWS_AS(convoy::require_nodes(world, 2), DisagreementError);
    CHECK_THROWS_WITH(convoy::require_nodes(world, 2),
                      Contains("SLURM_NTASKS is 4, and the spec has 2 nodes"));
}

TEST_CASE("an MPI whose variables are not read is refused, unless other variables make the world") {
    CHECK_THROWS_WITH(find_world({{"PMI_RANK", "0"}, {"PMI_SIZE", "4"}}, Starting::automatic),
                      Contains("PMI_SIZE is 4"));
    CHECK_FALSE(find_world({{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}}, Starting::automatic));
    CHECK_FALSE(find_world({{"PMI_RANK", "0"}, {"PMI_SIZE", "4"}}, Starting::local));
    CHECK(find_world(with(by_srun, {{"PMI_SIZE", "4"}}), Starting::automatic));
}

TEST_CASE("processes of a host share its cores unless each is bound to its own") {
    const auto world = find_world(by_mpi, Starting::automatic).value();
    CHECK(cores_of_process(world, 8, 8) == 2);
    CHECK(cores_of_process(world, 1, 8) == 1);
    CHECK(cores_of_process(world, 4, 8) == 2);  // bound to a socket that it shares
    CHECK(cores_of_process(world, 2, 2) == 1);
    const auto given = find_world(with(by_srun, {{"SLURM_CPUS_PER_TASK", "3"}}), Starting::automatic).value();
    CHECK(cores_of_process(given, 8, 8) == 3);
    CHECK(cores_of_process(given, 2, 8) == 2);
}

TEST_CASE("a world of Open MPI can call MPI, and no other can") {
    CHECK(is_of_open_mpi(find_world(by_mpi, Starting::automatic).value()));
    CHECK_FALSE(is_of_open_mpi(find_world(by_srun, Starting::automatic).value()));
    CHECK_FALSE(is_of_open_mpi(find_world(by_torchrun, Starting::automatic).value()));
}
