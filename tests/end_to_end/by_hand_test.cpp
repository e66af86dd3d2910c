#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <regex>

#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

nlohmann::json short_spec() {
    auto spec = small_spec();
    spec["max_steps"] = 6;
    return spec;
}

std::string write_token(const TemporaryFolder& folder, const std::string& token, mode_t mode = 0600) {
    const auto file = folder / (token + ".token");
    std::ofstream(file) << token << '\n';
    ::chmod(file.c_str(), mode);
    return file.string();
}

/// The words of the command that the launcher shows, after "convoy".
std::vector<std::string> shown_command(ConvoyProcess& launcher) {
    REQUIRE(launcher.wait_for_error_text("convoy worker --join"));
    REQUIRE(launcher.wait_for_error_text("\n"));
    const auto& text = launcher.error_text();
    std::smatch found;
    REQUIRE(std::regex_search(text, found, std::regex("convoy (worker --join .*)\n")));
    std::istringstream words(found[1]);
    return {std::istream_iterator<std::string>(words), {}};
}

}  // namespace

TEST_CASE("a node that is started by hand trains to the same bits as one that the launcher starts") {
    const TemporaryFolder folder;
    const auto local = run_spec(folder, short_spec(), "local");
    // The command line is in environment.json, and with it the name of the file.
    const auto token = (folder / "run.token").string();
    fs::rename(write_token(folder, "swordfish-swordfish"), token);
    const auto by_hand = folder / "by_hand";
    ConvoyProcess launcher({"run", write_spec(folder, short_spec()), "--out", by_hand.string(), "--listen",
                            "127.0.0.1", "--await", "1", "--token-file", token});
    const auto command = shown_command(launcher);
    CHECK(command.back() == token);
    ConvoyProcess worker(command);
    const auto outcome = launcher.wait();
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK(worker.wait().code == 0);
    CHECK_THAT(outcome.err,
               Contains("if a node is on another machine, copy the token's file there; type where it runs"));
    CHECK_THAT(outcome.err, !Contains("without TLS"));  // nothing leaves this machine
    CHECK(sha256_of_weights(by_hand) == sha256_of_weights(local));
    for (const auto& entry : fs::directory_iterator(by_hand))
        if (entry.is_regular_file())
            CHECK(text_of(entry.path()).find("swordfish-swordfish") == std::string::npos);
}

TEST_CASE("a node that was started by hand does a fault of the spec to itself") {
    const TemporaryFolder folder;
    auto spec = short_spec();
    spec["faults"] = {{{"node", 1}, {"step", 4}, {"kind", "kill"}}};
    ConvoyProcess launcher(
        {"run", write_spec(folder, spec), "--out", (folder / "out").string(), "--await", "1"});
    ConvoyProcess worker(shown_command(launcher));
    const auto outcome = launcher.wait();
    INFO(outcome.err);
    CHECK(outcome.code == 74);
    CHECK(worker.wait().code == -SIGKILL);
    CHECK_THAT(outcome.err, Contains("fault kill of node 1 at step 4") && Contains("closed its connection"));
}

TEST_CASE("without a token the launcher makes one, in a file that only its owner reads, and removes it") {
    const TemporaryFolder folder;
    ConvoyProcess launcher(
        {"run", write_spec(folder, short_spec()), "--out", (folder / "out").string(), "--await", "2"});
    const auto command = shown_command(launcher);
    const fs::path token = command.back();
    CHECK((fs::status(token).permissions() & fs::perms(0777)) == fs::perms(0600));
    CHECK(launcher.error_text().find(text_of(token).substr(0, 32)) == std::string::npos);
    ConvoyProcess one(command), other(command);
    const auto outcome = launcher.wait();
    INFO(outcome.err);
    CHECK(outcome.code == 0);
    CHECK(one.wait().code == 0);
    CHECK(other.wait().code == 0);
    CHECK_FALSE(fs::exists(token));
}

TEST_CASE("a worker by hand with another token is refused, and the run waits for the right one") {
    const TemporaryFolder folder;
    ConvoyProcess launcher({"run", write_spec(folder, short_spec()), "--out", (folder / "out").string(),
                            "--await", "1", "--token-file", write_token(folder, "swordfish-swordfish")});
    const auto command = shown_command(launcher);
    auto wrong = command;
    wrong.back() = write_token(folder, "sardine-of-the-sea");
    const auto refused = run_convoy(wrong);
    CHECK(refused.code == 69);
    CHECK_THAT(refused.err, Contains("does not know this run's token"));
    ConvoyProcess worker(command);
    const auto outcome = launcher.wait();
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.err, Contains("refused a connection from 127.0.0.1"));
    CHECK(worker.wait().code == 0);
}

TEST_CASE("joining options that cannot be meant are code 64") {
    const TemporaryFolder folder;
    const auto spec = write_spec(folder, short_spec());
    auto on_hosts = short_spec();
    on_hosts["cluster"] = {{"hosts", 2}};
    const auto cluster = write_spec(folder, on_hosts, "cluster.json");
    const auto shared = write_token(folder, "shared", 0640);
    const auto check = [](std::vector<std::string> words, const std::string& text) {
        words.insert(words.begin(), "run");
        words.emplace_back("--dry-run");
        const auto outcome = run_convoy(words);
        CHECK(outcome.code == 64);
        CHECK_THAT(outcome.err, Contains(text));
    };
    check({spec, "--await", "3"}, "--await: 3 nodes are more than the spec has, which is 2");
    check({spec, "--await", "0"}, "--await: found \"0\", expected a number of nodes from 1 up");
    check({spec, "--await", "-1"}, "--await: found \"-1\"");
    check({cluster, "--await", "1"}, "--await: the launcher starts all nodes");
    check({cluster, "--listen", "127.0.0.1"}, "--listen: the launcher starts all nodes");
    check({spec, "--listen", "127.0.0.1:http"}, "is not ADDRESS[:PORT]");
    check({spec, "--await", "1", "--token-file", shared}, "others than its owner may read it; chmod 600");
    CHECK(run_convoy({"worker", "--join", "127.0.0.1:9", "--token-file", shared}).code == 64);
    CHECK(run_convoy({"run", spec, "--await", "1", "--token-file", "/nowhere/token"}).code == 66);
}
