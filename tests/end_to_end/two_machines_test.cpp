// Two machines as two network namespaces, which need root: this test fails where it is not run by it.
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <memory>
#include <regex>

#include "base/descriptor.hpp"
#include "base/run_program.hpp"
#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
namespace fs = std::filesystem;

namespace {

/// Two network namespaces joined by a veth link, with the addresses 10.77.0.1 and 10.77.0.2. Removed with
/// this object.
class TwoMachines {
  public:
    TwoMachines() {
        for (const auto* side : {"a", "b"}) ip({"netns", "add", name(side)});
        ip({"link", "add", "eth0", "netns", name("a"), "type", "veth", "peer", "name", "eth0", "netns",
            name("b")});
        for (const auto& [side, address] : {std::pair{"a", "10.77.0.1/24"}, std::pair{"b", "10.77.0.2/24"}}) {
            ip({"-n", name(side), "address", "add", address, "dev", "eth0"});
            ip({"-n", name(side), "link", "set", "eth0", "up"});
            ip({"-n", name(side), "link", "set", "lo", "up"});
        }
    }
    TwoMachines(const TwoMachines&) = delete;
    TwoMachines& operator=(const TwoMachines&) = delete;
    TwoMachines(TwoMachines&&) = delete;
    TwoMachines& operator=(TwoMachines&&) = delete;
    ~TwoMachines() {
        for (const auto* side : {"a", "b"})
            run_program({"ip", "netns", "delete", name(side)}, "", std::chrono::seconds(10));
    }

    /// Starts convoy on one of the two, "a" or "b".
    [[nodiscard]] std::unique_ptr<ConvoyProcess> start(const char* side,
                                                       const std::vector<std::string>& arguments) const {
        const Descriptor here(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
        const Descriptor there(::open(("/run/netns/" + name(side)).c_str(), O_RDONLY | O_CLOEXEC));
        REQUIRE(::setns(there.get(), CLONE_NEWNET) == 0);
        auto process = std::make_unique<ConvoyProcess>(arguments);
        REQUIRE(::setns(here.get(), CLONE_NEWNET) == 0);
        return process;
    }

  private:
    [[nodiscard]] std::string name(const std::string& side) const {
        return "two-machines-" + std::to_string(::getpid()) + "-" + side;
    }
    static void ip(std::vector<std::string> words) {
        words.insert(words.begin(), "ip");
        const auto done = run_program(words, "", std::chrono::seconds(10));
        INFO(done.err);
        REQUIRE(done.code == 0);
    }
};

}  // namespace

TEST_CASE("two machines train to the same bits as one, with TLS and without it", "[needs_root]") {
    const bool with_tls = GENERATE(false, true);
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["max_steps"] = 6;
    const auto local = run_spec(folder, spec, "local");
    const auto token = folder / "token";
    std::ofstream(token) << "swordfish-swordfish\n";
    fs::permissions(token, fs::perms::owner_read | fs::perms::owner_write);

    const TwoMachines machines;
    const auto apart = folder / "apart";
    std::vector<std::string> command{
        "run", write_spec(folder, spec), "--out",       apart.string(), "--listen", "10.77.0.1", "--await",
        "1",   "--token-file",           token.string()};
    if (with_tls) command.emplace_back("--tls");
    const auto launcher = machines.start("a", command);
    REQUIRE(launcher->wait_for_error_text("convoy worker --join"));
    REQUIRE(launcher->wait_for_error_text("\n"));
    std::smatch found;
    REQUIRE(std::regex_search(launcher->error_text(), found, std::regex("--join (10\\.77\\.0\\.1:[0-9]+)")));
    const auto worker = machines.start("b", {"worker", "--join", found[1], "--token-file", token.string()});
    const auto outcome = launcher->wait();
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK(worker->wait().code == 0);
    const std::string plain_line = "without TLS: a change on the way is found";
    CHECK((outcome.err.find(plain_line) == std::string::npos) == with_tls);
    CHECK(sha256_of_weights(apart) == sha256_of_weights(local));
    const auto nodes = json_of(apart / "environment.json").at("nodes");
    CHECK(nodes.at(0).at("host") == "10.77.0.1");
    CHECK(nodes.at(1).at("host") == "10.77.0.2");
}
