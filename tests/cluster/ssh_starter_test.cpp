#include "cluster/ssh_starter.hpp"

#include <catch2/catch.hpp>
#include <chrono>

#include "base/run_program.hpp"

using namespace convoy;

namespace {

const RemoteNodes nodes{.hosts = {"a", "me@b"},
                        .place_of_rank = {0, 0, 1},
                        .ssh = {"/usr/bin/ssh", "-p", "2222"},
                        .program = "/opt/it's convoy/convoy",
                        .folder = "/"};

}  // namespace

TEST_CASE("the command line of ssh has the user's options first, then ours, the host, and one word") {
    const auto command = ssh_command(nodes, {.rank = 2, .threads = {}});
    REQUIRE(command.size() == 10);
    CHECK(std::vector(command.begin(), command.end() - 1) ==
          std::vector<std::string>{"/usr/bin/ssh", "-p", "2222", "-T", "-o", "BatchMode=yes", "-o",
                                   "ConnectTimeout=10", "me@b"});
}

TEST_CASE("the host's shell runs the words as they were meant") {
    auto printing = nodes;
    printing.program = "/usr/bin/printf";
    printing.interface = "it's;$HOME";
    // printf takes `worker` as its format, so the format is put there.
    auto script = ssh_command(printing, {.rank = 1, .threads = 3}).back();
    script.replace(script.find(" worker "), 8, " %s, ");
    const auto outcome = run_program({"/bin/sh", "-c", script}, "", std::chrono::seconds(20));
    INFO(outcome.err);
    CHECK(outcome.out == "--stdio,--rank,1,--share,2,--interface,it's;$HOME,");
    CHECK(ssh_command(nodes, {.rank = 1, .threads = 3}).back().find("OMP_NUM_THREADS=3") !=
          std::string::npos);
}
