// Runs on emulated hosts, which need root: these tests fail where they are not run by it.
#include <signal.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <set>

#include "small_experiment.hpp"
#include "support/sanitized.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

json three_nodes() {
    auto spec = small_spec();
    spec["nodes"] = json::array({{{"threads", 1}}, {{"threads", 1}}, {{"threads", 1}}});
    spec["max_steps"] = 6;
    return spec;
}

/// Goes on for a long time on two hosts.
json long_spec_on_hosts() {
    auto spec = long_spec();
    spec["cluster"] = {{"hosts", 2}, {"link_mbit", 1000}, {"cpu", 0.5}, {"memory_mb", 1000}};
    return spec;
}

std::string command_of(pid_t process) {
    auto words = text_of("/proc/" + std::to_string(process) + "/cmdline");
    for (auto& letter : words) letter = letter == '\0' ? ' ' : letter;
    return words;
}

/// The process that keeps a run's hosts.
pid_t guardian_of(const ConvoyProcess& run) {
    for (const auto child : run.children())
        if (command_of(child).find(" host-guardian ") != std::string::npos) return child;
    FAIL("the run has no guardian");
    return -1;
}

/// Whatever is there of the hosts that a guardian keeps: names, links and control groups (in the folders that
/// the nodes were in).
std::set<std::string> traces_of(pid_t guardian, const std::set<fs::path>& groups) {
    const auto name = "convoy-" + std::to_string(guardian);
    std::set<std::string> found;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator("/run/netns", none))
        if (entry.path().filename().string().starts_with(name + "-")) found.insert(entry.path());
    if (fs::exists("/sys/class/net/" + name)) found.insert(name);
    for (const auto& group : groups)
        if (fs::exists(group)) found.insert(group);
    return found;
}

/// Control groups of version 1 that a process is in and that belong to this guardian, as folders.
std::set<fs::path> groups_of(pid_t process, pid_t guardian) {
    std::set<fs::path> folders;
    std::istringstream lines(text_of("/proc/" + std::to_string(process) + "/cgroup"));
    for (std::string line; std::getline(lines, line);) {
        const auto path = line.substr(line.rfind(':') + 1);
        if (path.find("convoy-" + std::to_string(guardian) + "-") == std::string::npos) continue;
        for (const auto& hierarchy : fs::directory_iterator("/sys/fs/cgroup"))
            if (fs::exists(hierarchy.path() / path.substr(1)))
                folders.insert(hierarchy.path() / path.substr(1));
        if (fs::exists("/sys/fs/cgroup" + path)) folders.insert("/sys/fs/cgroup" + path);
    }
    return folders;
}

/// A long run on hosts, in training.
struct RunOnHosts {
    TemporaryFolder folder;
    ConvoyProcess run{{"run", write_spec(folder, long_spec_on_hosts()), "--out", (folder / "out").string()}};
    pid_t guardian = -1;
    std::vector<pid_t> nodes;
    std::set<fs::path> groups;

    RunOnHosts() {
        REQUIRE(run.wait_for_error_text("epoch "));
        guardian = guardian_of(run);
        for (const auto child : run.children())
            if (child != guardian) nodes.push_back(child);
        REQUIRE(nodes.size() == 2);
        for (const auto node : nodes) groups.merge(groups_of(node, guardian));
        // Two hosts and the switch, a link, and at least one group for each host.
        REQUIRE(groups.size() >= 2);
        REQUIRE(traces_of(guardian, groups).size() == 4 + groups.size());
    }
};

}  // namespace

TEST_CASE("nodes on emulated hosts train to the same bits as nodes side by side", "[needs_root]") {
    const TemporaryFolder folder;
    auto spec = three_nodes();
    const auto together = run_spec(folder, spec, "together");
    spec["cluster"] = {{"hosts", 3}, {"link_mbit", 1000}};
    const auto apart = run_spec(folder, spec, "apart");
    CHECK(text_of(apart / "weights.safetensors") == text_of(together / "weights.safetensors"));

    const auto environment = json_of(apart / "environment.json");
    const auto network = environment.at("emulated_network").get<std::string>();
    CHECK_THAT(network, Catch::StartsWith("198.1") && Catch::EndsWith(".0/24"));
    std::set<std::string> hosts;
    for (const auto& node : environment.at("nodes")) hosts.insert(node.at("host").get<std::string>());
    const auto prefix = network.substr(0, network.find(".0/24"));
    CHECK(hosts == std::set<std::string>{prefix + ".1", prefix + ".2", prefix + ".3"});
    CHECK(json_of(apart / "summary.json").at("cluster") ==
          json::parse(R"({"hosts": 3, "link_mbit": 1000.0, "cpu": null, "memory_mb": null})"));
    CHECK(json_of(together / "environment.json").at("emulated_network").is_null());
    CHECK_THAT(text_of(apart / "report.md"), Contains("on 3 emulated hosts (1000 Mbit/s)"));
    const auto communication = json_of(apart / "summary.json").at("communication");
    REQUIRE(communication.at("bytes_sent_per_node").size() == 3);
    for (const auto& sent : communication.at("bytes_sent_per_node")) CHECK(sent.get<std::int64_t>() > 0);
}

TEST_CASE("a killed node on an emulated host is started again, and leaves the same bits and no host",
          "[needs_root]") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["epochs"] = 12;
    const auto whole = run_spec(folder, spec, "whole");
    spec["cluster"] = {{"hosts", 2}, {"link_mbit", 1000}};
    spec["failures"] = "restart";
    spec["checkpoints"] = {{"every_steps", 8}};
    const auto out = folder / "cut";
    ConvoyProcess run({"run", write_spec(folder, spec), "--out", out.string()});
    REQUIRE(run.wait_for_error_text("epoch 2/"));
    const auto guardian = guardian_of(run);
    std::set<fs::path> groups;
    pid_t victim = -1;
    for (const auto child : run.children()) {
        if (child == guardian) continue;
        groups.merge(groups_of(child, guardian));
        victim = child;
    }
    ::kill(victim, SIGKILL);
    const auto outcome = run.wait();
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK_THAT(outcome.err, Contains("node 1 (pid " + std::to_string(victim) + ") was killed by signal 9"));
    CHECK(traces_of(guardian, groups).empty());
    CHECK(text_of(out / "weights.safetensors") == text_of(whole / "weights.safetensors"));
    CHECK(json_of(out / "summary.json").at("failures").size() == 1);
}

TEST_CASE("nodes may share an emulated host", "[needs_root]") {
    const TemporaryFolder folder;
    auto spec = three_nodes();
    spec["cluster"] = {{"hosts", 2}};
    std::vector<std::string> hosts;
    const auto run = run_spec(folder, spec, "out");
    const auto environment = json_of(run / "environment.json");
    for (const auto& node : environment.at("nodes")) hosts.push_back(node.at("host"));
    CHECK(hosts.at(0) == hosts.at(1));
    CHECK(hosts.at(1) != hosts.at(2));
}

TEST_CASE("hosts may differ, and nodes name theirs", "[needs_root]") {
    const TemporaryFolder folder;
    auto spec = three_nodes();
    const auto together = run_spec(folder, spec, "together");
    spec["nodes"][0]["host"] = 1;
    spec["nodes"][1]["host"] = 0;
    spec["nodes"][2]["host"] = 1;
    spec["cluster"] = {{"hosts", {{{"cpu", 1}, {"link_mbit", 100}}, {{"memory_mb", 2000}}}},
                       {"link_mbit", 1000}};
    const auto apart = run_spec(folder, spec, "apart");
    CHECK(text_of(apart / "weights.safetensors") == text_of(together / "weights.safetensors"));

    std::vector<std::string> hosts;
    const auto environment = json_of(apart / "environment.json");
    for (const auto& node : environment.at("nodes")) hosts.push_back(node.at("host"));
    CHECK_THAT(hosts.at(0), Catch::EndsWith(".2"));
    CHECK_THAT(hosts.at(1), Catch::EndsWith(".1"));
    CHECK(hosts.at(2) == hosts.at(0));
    CHECK(json_of(apart / "summary.json").at("cluster") == json::parse(R"({
        "hosts": 2, "link_mbit": null, "cpu": null, "memory_mb": null,
        "unlike": [{"link_mbit": 100.0, "cpu": 1.0, "memory_mb": null},
                   {"link_mbit": 1000.0, "cpu": null, "memory_mb": 2000}]})"));
    CHECK_THAT(text_of(apart / "report.md"), Contains("on 2 unlike emulated hosts"));

    const auto planned = run_convoy({"plan", write_spec(folder, spec)});
    CHECK_THAT(planned.out, Contains("2 emulated hosts; node by node on host 1, 0, 1\n"
                                     "host 0: a link of 100 Mbit/s each way, 1 cores and any MB\n"
                                     "host 1: a link of 1000 Mbit/s each way, any cores and 2000 MB\n"));
}

TEST_CASE("a parameter server has the host beyond those of the workers to itself", "[needs_root]") {
    const TemporaryFolder folder;
    auto spec = three_nodes();
    spec["strategy"] = "parameter_server";
    const auto together = run_spec(folder, spec, "together");
    spec["cluster"] = {{"hosts", 4}};
    const auto apart = run_spec(folder, spec, "apart");
    CHECK(text_of(apart / "weights.safetensors") == text_of(together / "weights.safetensors"));
    const auto nodes = json_of(apart / "environment.json").at("nodes");
    REQUIRE(nodes.size() == 4);
    CHECK_THAT(nodes.at(3).at("host").get<std::string>(), Catch::EndsWith(".4"));
    CHECK_THAT(run_convoy({"plan", write_spec(folder, spec)}).out,
               Contains("4 emulated hosts, each with a link of any Mbit/s each way, any cores and any MB; "
                        "nodes, then servers, on host 0, 1, 2, 3\n"));
}

TEST_CASE("calibration measures every node and link of unequal hosts", "[needs_root]") {
    const TemporaryFolder folder;
    auto spec = three_nodes();
    spec["nodes"].erase(2);
    spec["cluster"] = {{"hosts", {{{"cpu", 1.0}}, {{"cpu", 0.3}}}}, {"link_mbit", 50}};
    const auto done = run_convoy(
        {"calibrate", write_spec(folder, spec), "--steps", "200", "--sizes", "4K,64K", "--iterations", "3"});
    INFO(done.err);
    REQUIRE(done.code == 0);
    const auto found = json::parse(done.out);
    CHECK(found.at("hosts") == 2);
    // How much faster a host is measured depends on what else the machine does: that is no matter of a test.
    for (const auto* speed : {"convolution_gflops", "elementwise_gb_s"})
        for (const auto& node : found.at("nodes")) CHECK(node.at(speed).get<double>() > 0.0);
    REQUIRE(found.at("links").size() == 1);
    const auto& link = found.at("links")[0];
    CHECK(link.at("from") == 0);
    CHECK(link.at("to") == 1);
    CHECK(link.at("mbit").get<double>() < 55.0);
    CHECK(link.at("mbit").get<double>() > 0.0);
    CHECK(link.at("latency_us").get<double>() > 0.0);
}

TEST_CASE("the guardian of hosts checks its command line") {
    const auto code_of = [](std::vector<std::string> words) {
        words.insert(words.begin(), "host-guardian");
        return run_convoy(words).code;
    };
    CHECK(code_of({"--hosts", "251"}) == 64);
    CHECK(code_of({"--hosts", "0"}) == 64);
    CHECK(code_of({"--hosts", "2", "--cpu", "1,2,3"}) == 64);
    CHECK(code_of({"--hosts", "2", "--cpu", "0.01"}) == 64);
    CHECK(code_of({"--hosts", "2", "--link-mbit", "fast"}) == 64);
}

TEST_CASE("nodes that share hosts sum within them first, where that is the algorithm", "[needs_root]") {
    const auto done = run_convoy({"bench", "allreduce", "--nodes", "5", "--hosts", "2", "--algorithm",
                                  "hierarchical", "--sizes", "4,100000", "--iterations", "3", "--json"});
    INFO(done.err);
    REQUIRE(done.code == 0);
    const auto found = json::parse(done.out);
    for (const auto& row : found.at("results")) CHECK(row.at("wrong") == 0);
}

TEST_CASE("a link carries no more than its rate", "[needs_root]") {
    const auto done = run_convoy({"bench", "allreduce", "--nodes", "2", "--hosts", "2", "--link-mbit", "100",
                                  "--sizes", "2M", "--iterations", "3", "--warmup", "1", "--json"});
    INFO(done.err);
    REQUIRE(done.code == 0);
    const auto row = json::parse(done.out).at("results").at(0);
    CHECK(row.at("wrong") == 0);
    // With two nodes each sends as many bytes as the buffer has. The first 32 KiB may pass at once.
    const double least_us = (2.0 * (1 << 20) - 32768) * 8 / 100e6 * 1e6;
    CHECK(row.at("min_us").get<double>() >= least_us);
    CHECK(row.at("busbw").get<double>() <= 0.0125);
}

TEST_CASE("a launcher that is killed leaves no host behind", "[needs_root]") {
    RunOnHosts on_hosts;
    on_hosts.run.signal(SIGKILL);
    CHECK(on_hosts.run.wait().code == -SIGKILL);
    wait_until_gone(on_hosts.guardian);
    CHECK(traces_of(on_hosts.guardian, on_hosts.groups).empty());
    for (const auto node : on_hosts.nodes) wait_until_gone(node);
}

TEST_CASE("Ctrl-C keeps the results and removes the hosts, though their guardian gets the signal too",
          "[needs_root]") {
    RunOnHosts on_hosts;
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::kill(on_hosts.guardian, number);
    on_hosts.run.signal(SIGINT);
    const auto outcome = on_hosts.run.wait();
    INFO(outcome.err);
    CHECK(outcome.code == 130);
    CHECK(traces_of(on_hosts.guardian, on_hosts.groups).empty());
    CHECK(json_of(on_hosts.folder / "out" / "environment.json").at("warnings").empty());
}

TEST_CASE("a run whose node is lost removes its hosts", "[needs_root]") {
    RunOnHosts on_hosts;
    ::kill(on_hosts.nodes[1], SIGKILL);
    const auto outcome = on_hosts.run.wait();
    CHECK(outcome.code == 74);
    CHECK_THAT(outcome.err, Contains("node 1"));
    CHECK(traces_of(on_hosts.guardian, on_hosts.groups).empty());
}

TEST_CASE("a node whose host has too little memory is lost, and the reason is told", "[needs_root]") {
    const auto outcome = run_convoy(
        {"bench", "allreduce", "--nodes", "1", "--hosts", "1", "--memory-mb", "256", "--sizes", "512M"});
    CHECK(outcome.code == 74);
    CHECK_THAT(outcome.err,
               Contains("node 0") && Contains("memory of its host was used up (cluster.memory_mb)"));
}

TEST_CASE("a network that is too large for a host is refused with a split, with which it trains",
          "[needs_root]") {
    const TemporaryFolder folder;
    auto spec = three_nodes();
    spec["model"] = json::parse(R"({"input": [1, 28, 28], "layers": [
        {"type": "flatten"}, {"type": "dense", "units": 2000}, {"type": "dense", "units": 2000},
        {"type": "dense", "units": 2000}, {"type": "dense", "units": 2000},
        {"type": "dense", "units": 10, "activation": "softmax"}]})");
    spec["strategy"] = "ring_allreduce";
    spec["optimizer"] = {{"name", "sgd"}, {"momentum", 0.9}};
    spec["cluster"] = {{"hosts", 3}, {"memory_mb", 200}};
    const auto refused = run_convoy({"run", write_spec(folder, spec), "--out", (folder / "whole").string()});
    CHECK(refused.code == 65);
    CHECK_THAT(refused.err, Contains("does not fit into memory") &&
                                Contains("$.cluster.memory_mb of host 0") &&
                                Contains("the network fits if its layers are split over the nodes: with "
                                         "\"strategy\": {\"name\":\"model_split\",\"stages\":3}"));
    spec["strategy"] = {{"name", "model_split"}, {"stages", 3}};
    // The sanitizers' own memory is several times that of the program.
    if (is_sanitized) spec["cluster"]["memory_mb"] = 1000;
    const auto run = run_spec(folder, spec, "split");
    CHECK(losses_of(run).size() == 6);
}

TEST_CASE("the plan tells the hosts, and needs no root") {
    const TemporaryFolder folder;
    auto spec = three_nodes();
    spec["cluster"] = {{"hosts", 2}, {"link_mbit", 100}, {"cpu", 0.35}};
    const auto plan = run_convoy({"plan", write_spec(folder, spec)});
    REQUIRE(plan.code == 0);
    CHECK_THAT(plan.out,
               Contains("2 emulated hosts, each with a link of 100 Mbit/s each way, 0.35 cores and any MB; "
                        "node by node on host 0, 0, 1\n"));
    CHECK_THAT(plan.out, Contains("ms at 0.1 Gbit/s"));
}
