// Runs whose connections are under TLS.
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include "base/clock.hpp"
#include "small_experiment.hpp"
#include "support/certificates.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

namespace {

nlohmann::json brief_spec(int count = 2) {
    auto spec = small_spec();
    spec["max_steps"] = 6;
    spec["nodes"] = nodes(count);
    return spec;
}

/// The words after "convoy" of the command that a launcher shows for a node by hand.
std::vector<std::string> command_for_hand(ConvoyProcess& launcher) {
    REQUIRE(launcher.wait_for_error_text("--token-file"));
    REQUIRE(launcher.wait_for_error_text("\n"));
    std::smatch found;
    REQUIRE(std::regex_search(launcher.error_text(), found, std::regex("convoy (worker --join .*)\n")));
    std::istringstream words(found[1]);
    return {std::istream_iterator<std::string>(words), {}};
}

std::vector<std::string> joined(std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

std::vector<std::string> options_of(const TestAuthority::Files& files, const std::string& authority) {
    return {"--tls-certificate", files.certificate, "--tls-key", files.key, "--tls-ca", authority};
}

}  // namespace

TEST_CASE("a run under TLS has the weights of a run without it, and its description says so") {
    const TemporaryFolder folder;
    const auto spec = brief_spec(3);
    const auto plain = run_spec(folder, spec, "plain");
    const auto out = folder / "tls";
    const auto outcome = run_convoy({"run", write_spec(folder, spec), "--out", out.string(), "--tls"});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK(sha256_of_weights(out) == sha256_of_weights(plain));
    CHECK(json_of(plain / "environment.json").at("tls").is_null());
    const auto tls = json_of(out / "environment.json").at("tls");
    CHECK(tls.at("version") == "1.3");
    CHECK(tls.at("certificate") == "made for the run");
    CHECK(tls.at("certificates_checked") == false);
    CHECK_THAT(text_of(out / "report.html"), Contains("made for the run"));
}

TEST_CASE("a node by hand follows a launcher with TLS without an option of its own") {
    const TemporaryFolder folder;
    const auto local = run_spec(folder, brief_spec(), "local");
    const auto out = folder / "out";
    ConvoyProcess launcher(
        {"run", write_spec(folder, brief_spec()), "--out", out.string(), "--await", "1", "--tls"});
    ConvoyProcess worker(command_for_hand(launcher));
    const auto outcome = launcher.wait();
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK(worker.wait().code == 0);
    CHECK(sha256_of_weights(out) == sha256_of_weights(local));
}

TEST_CASE("a worker that wants TLS and a launcher without it refuse each other at once, and both say why") {
    const TemporaryFolder folder;
    ConvoyProcess launcher(
        {"run", write_spec(folder, brief_spec()), "--out", (folder / "out").string(), "--await", "1"});
    const auto command = command_for_hand(launcher);
    const auto began = Clock::now();
    const auto refused = run_convoy(joined(command, {"--tls"}));
    CHECK(Clock::now() - began < std::chrono::seconds(5));  // and not the ten minutes of a join
    CHECK(refused.code == 76);
    CHECK_THAT(refused.err, Contains("has no TLS, and this side wants it; see --tls"));
    REQUIRE(launcher.wait_for_error_text("wants TLS, and this run has none; see --tls"));
    ConvoyProcess worker(command);
    CHECK(launcher.wait().code == 0);
    CHECK(worker.wait().code == 0);
}

TEST_CASE("a node that is killed under TLS is lost as without it") {
    const TemporaryFolder folder;
    auto spec = brief_spec(3);
    spec["faults"] = {{{"node", 1}, {"step", 4}, {"kind", "kill"}}};
    const auto run_with = [&](const std::vector<std::string>& more, const std::string& out) {
        return run_convoy(joined({"run", write_spec(folder, spec), "--out", (folder / out).string()}, more));
    };
    SECTION("abort") {
        const auto outcome = run_with({"--tls"}, "tls");
        INFO(outcome.err);
        CHECK(outcome.code == 74);
        CHECK_THAT(outcome.err, Contains("node 1") && Contains("was killed"));
    }
    SECTION("shrink") {
        spec["failures"] = "shrink";
        spec["strategy"] = {{"name", "ring_allreduce"}, {"commit", "by_step"}};
        const auto plain = run_with({}, "plain"), tls = run_with({"--tls"}, "tls");
        INFO(tls.err);
        CHECK(plain.code == 0);
        CHECK(tls.code == 0);
        CHECK(sha256_of_weights(folder / "tls") == sha256_of_weights(folder / "plain"));
    }
}

TEST_CASE("certificates of one authority are checked at the door and between nodes, with their names") {
    const TemporaryFolder folder;
    const TestAuthority authority(folder.path(), "authority"), other(folder.path(), "other");
    const auto files = authority.issue("node", "IP:127.0.0.1");
    const auto ours = options_of(files, authority.certificate());
    const auto out = folder / "out";
    ConvoyProcess launcher(
        joined({"run", write_spec(folder, brief_spec()), "--out", out.string(), "--await", "1"}, ours));
    const auto command = command_for_hand(launcher);
    const auto without = run_convoy(command);
    CHECK(without.code == 69);
    CHECK_THAT(without.err, Contains("it refuses the handshake of TLS"));
    REQUIRE(launcher.wait_for_error_text("its certificate is refused"));
    const auto stranger =
        run_convoy(joined(command, options_of(other.issue("stranger", "IP:127.0.0.1"), other.certificate())));
    CHECK(stranger.code == 69);
    CHECK_THAT(stranger.err, Contains("its certificate is refused: unable to get local issuer certificate"));
    auto elsewhere = joined(command, ours);
    elsewhere.at(2).replace(0, std::string("127.0.0.1").size(), "localhost");
    const auto other_name = run_convoy(elsewhere);
    CHECK(other_name.code == 69);
    CHECK_THAT(other_name.err, Contains("hostname mismatch"));
    ConvoyProcess worker(joined(command, ours));
    const auto outcome = launcher.wait();
    INFO(outcome.err);
    CHECK(outcome.code == 0);
    CHECK(worker.wait().code == 0);
    CHECK(json_of(out / "environment.json").at("tls").at("certificates_checked") == true);
}

TEST_CASE("options of TLS that do not go together are refused before anything starts") {
    const TemporaryFolder folder;
    const TestAuthority authority(folder.path(), "authority");
    const auto spec = write_spec(folder, brief_spec());
    const auto refused = [&](const std::vector<std::string>& more) {
        return run_convoy(joined({"run", spec, "--out", (folder / "out").string()}, more));
    };
    const auto alone = refused({"--tls-certificate", authority.certificate()});
    CHECK(alone.code == 64);
    CHECK_THAT(alone.err, Contains("--tls-key is missing"));
    CHECK(refused({"--tls-ca", (folder / "none").string()}).code == 66);
    const auto nameless = refused({"--tls-ca", authority.certificate()});
    CHECK(nameless.code == 64);
    CHECK_THAT(nameless.err, Contains("--tls-certificate is missing"));
    auto by_mpi = brief_spec();
    by_mpi["strategy"] = {{"name", "ring_allreduce"}, {"algorithm", "mpi"}};
    const auto mpi = run_convoy(
        {"run", write_spec(folder, by_mpi, "mpi.json"), "--out", (folder / "mpi").string(), "--tls"});
    CHECK(mpi.code == 64);
    CHECK_THAT(mpi.err, Contains("$.strategy.algorithm") && Contains("--tls"));
}
