#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "end_to_end/convoy_process.hpp"
#include "end_to_end/small_experiment.hpp"
#include "starters/free_port.hpp"
#include "starters/programs.hpp"
#include "starters/ssh_server.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// The processes of the nodes of a run, by their own word in its partial results.
std::vector<pid_t> workers_of(const std::string& rank_word) {
    std::vector<pid_t> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        std::ifstream file(entry.path() / "cmdline", std::ios::binary);
        std::string line((std::istreambuf_iterator<char>(file)), {});
        if (line.find(rank_word) != std::string::npos &&
            line.find(std::string("worker\0--stdio", 14)) != std::string::npos)
            found.push_back(std::stoi(entry.path().filename().string()));
    }
    return found;
}

}  // namespace

TEST_CASE("ssh starts nodes that train to the same bits as local ones") {
    const SshServer server;
    const TemporaryFolder folder;
    const auto local = run_spec(folder, spec_of_four(), "local");
    const auto out = folder / "ssh";
    std::vector<std::string> words{
        "run", write_spec(folder, spec_of_four()), "--out", out.string(), "--ssh", server.command()};
    SECTION("on a list of hosts") {
        words.insert(words.end(), {"--hosts", "127.0.0.1:3,localhost:2"});
    }
    SECTION("under TLS") {
        words.insert(words.end(), {"--hosts", "127.0.0.1:3,localhost:2", "--tls"});
    }
    SECTION("on hosts of a file") {
        words.insert(words.end(), {"--host-file",
                                   folder.write("hosts", "127.0.0.1 slots=2\nlocalhost slots=2\n").string()});
    }
    const auto outcome = run_convoy(words);
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    check_same_weights(out, local);
    const auto hosts = json_of(out / "environment.json").at("nodes");
    CHECK(hosts.at(0).at("host") == "127.0.0.1");
    CHECK(hosts.at(3).at("host") == "localhost");
}

TEST_CASE("servers that a strategy adds are on the hosts too") {
    const SshServer server;
    const TemporaryFolder folder;
    auto spec = spec_of_four();
    spec["strategy"] = {{"name", "parameter_server"}};
    const auto local = run_spec(folder, spec, "local");
    const auto outcome = run_convoy({"run", write_spec(folder, spec), "--out", (folder / "ssh").string(),
                                     "--ssh", server.command(), "--hosts", "127.0.0.1:4"});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    check_same_weights(folder / "ssh", local);
}

TEST_CASE("a host that ssh cannot reach is named, with ssh's own words") {
    const SshServer server;
    const TemporaryFolder folder;
    const auto check = [&](const std::vector<std::string>& more, int code, const std::string& host,
                           const std::string& words) {
        std::vector<std::string> all{"run", write_spec(folder, spec_of_four()), "--out",
                                     (folder / "out").string()};
        all.insert(all.end(), more.begin(), more.end());
        const auto outcome = run_convoy(all);
        CHECK(outcome.code == code);
        CHECK_THAT(outcome.err, Contains("convoy: node") && Contains(host) && Contains(words));
        fs::remove_all(folder / "out.partial");
    };
    check({"--hosts", "localhost:4", "--ssh", server.command(free_port())}, 69, "(on localhost)",
          "Connection refused");
    check({"--hosts", "127.0.0.1:3,no-such-host.invalid", "--ssh", server.command()}, 69,
          "(on no-such-host.invalid)", "no-such-host.invalid");
    check({"--hosts", "localhost:4", "--ssh", server.command(), "--remote-convoy", "/nowhere/convoy"}, 69,
          "(on localhost)", "/nowhere/convoy");
}

TEST_CASE("nodes that ssh started end with their launcher, however it ends") {
    const SshServer server;
    const TemporaryFolder folder;
    auto spec = long_spec();
    spec["nodes"] = nodes(4);
    // A path of its own tells these nodes from those of other tests.
    const auto program = folder / "convoy-of-this-test";
    fs::create_symlink(CONVOY_PROGRAM, program);
    ConvoyProcess launcher({"run", write_spec(folder, spec), "--out", (folder / "out").string(), "--hosts",
                            "localhost:4", "--ssh", server.command(), "--remote-convoy", program.string()});
    REQUIRE(launcher.wait_for_error_text("epoch 1/"));
    const auto workers = workers_of(program.string());
    CHECK(workers.size() >= 4);
    const int signal = GENERATE(SIGKILL, SIGTERM);
    const auto outcome = launcher.end_by(signal);
    CHECK(outcome.code == (signal == SIGKILL ? -SIGKILL : 130));
    for (const auto pid : workers) wait_until_gone(pid);
    CHECK(workers_of(program.string()).empty());
}

TEST_CASE("a node of another host that is killed is named with its host") {
    const SshServer server;
    const TemporaryFolder folder;
    auto spec = long_spec();
    spec["nodes"] = nodes(2);
    const auto program = folder / "convoy-of-this-test";
    fs::create_symlink(CONVOY_PROGRAM, program);
    ConvoyProcess launcher({"run", write_spec(folder, spec), "--out", (folder / "out").string(), "--hosts",
                            "localhost:2", "--ssh", server.command(), "--remote-convoy", program.string()});
    REQUIRE(launcher.wait_for_error_text("epoch 1/"));
    const auto workers = workers_of(program.string());
    REQUIRE(workers.size() >= 2);
    ::kill(workers.front(), SIGKILL);
    const auto outcome = launcher.wait();
    CHECK(outcome.code == 74);
    CHECK_THAT(outcome.err, Contains("on localhost)"));
}

TEST_CASE("options of ssh that cannot be meant are refused") {
    const TemporaryFolder folder;
    const auto check = [&](const std::vector<std::string>& more, int code, const std::string& words) {
        std::vector<std::string> all{"run", write_spec(folder, spec_of_four()), "--dry-run"};
        all.insert(all.end(), more.begin(), more.end());
        const auto outcome = run_convoy(all);
        CHECK(outcome.code == code);
        CHECK_THAT(outcome.err, Contains(words));
    };
    check({"--hosts", "a:2"}, 76, "the hosts have 2 slots, and the spec has 4 nodes");
    check({"--hosts", "-oProxyCommand=x:4"}, 64, "--hosts: '-oProxyCommand=x:4' is no host");
    check({"--hosts", "a:4", "--await", "1"}, 64, "--hosts and --await");
    check({"--hosts", "a:4", "--starter", "local"}, 64, "--hosts and --starter local");
    check({"--hosts", "a:4", "--host-file", "b"}, 64, "--hosts and --host-file");
    check({"--hosts", "a:4", "--listen", "10.0.0.1"}, 64, "--listen: with --hosts");
    check({"--hosts", "a:4", "--ssh", "no-such-ssh -p 1"}, 66, "there is no program no-such-ssh");
    check({"--starter", "ssh"}, 64, "needs --hosts");
    const Environment world({{"RANK", "0"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "1"}});
    check({"--hosts", "a:4"}, 76, "--hosts is a:4, and WORLD_SIZE is 4");
    check({"--hosts", "a:3", "--starter", "ssh"}, 76, "the hosts have 3 slots");
}
