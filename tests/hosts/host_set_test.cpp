// These make emulated hosts: those that are tagged [needs_root] fail where they are not run by root.
#include "hosts/host_set.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "base/environment_variable.hpp"
#include "base/error.hpp"
#include "hosts/child_process.hpp"

using namespace convoy;
namespace fs = std::filesystem;

namespace {

/// Without root's rights, where the test has them.
class Nobody {
  public:
    Nobody() : before_(::geteuid()) { changed_ = before_ != 0 || ::seteuid(65534) == 0; }
    Nobody(const Nobody&) = delete;
    Nobody& operator=(const Nobody&) = delete;
    Nobody(Nobody&&) = delete;
    Nobody& operator=(Nobody&&) = delete;
    ~Nobody() { [[maybe_unused]] const int back = ::seteuid(before_); }
    [[nodiscard]] bool changed() const { return changed_; }

  private:
    uid_t before_;
    bool changed_;
};

std::string word_of(const fs::path& file) {
    std::string word;
    std::ifstream(file) >> word;
    return word;
}

std::vector<std::string> namespaces_of(pid_t owner) {
    std::vector<std::string> names;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator("/run/netns", none))
        if (owner_of(entry.path().filename()) == owner) names.push_back(entry.path().filename());
    return names;
}

bool link_exists(pid_t owner) {
    return fs::exists("/sys/class/net/" + host_set_name(owner));
}

}  // namespace

TEST_CASE("who is not root is told in one line that hosts need it") {
    const Nobody nobody;
    REQUIRE(nobody.changed());
    CHECK_THROWS_WITH(HostSet({}, 1), Catch::StartsWith("emulated hosts need root"));
    CHECK_THROWS_AS(HostSet({}, 1), ClusterError);
}

TEST_CASE("hosts are there while their owner has them, with their limits, and gone without a trace",
          "[needs_root]") {
    std::vector<fs::path> groups;
    {
        HostSet hosts({.link_mbit = 100.0, .cpu = 0.5, .memory_mb = 64}, 2);
        CHECK(namespaces_of(::getpid()).size() == 3);
        CHECK(link_exists(::getpid()));
        for (const auto host : {0, 1}) {
            REQUIRE_FALSE(hosts.control_groups(host).empty());
            for (const auto& group : hosts.control_groups(host)) {
                CHECK(fs::is_directory(group));
                groups.push_back(group);
            }
        }
        const auto& first = hosts.control_groups(0).front();
        CHECK(word_of(fs::exists(first / "cpu.max") ? first / "cpu.max" : first / "cpu.cfs_quota_us") ==
              "10000");
    }
    CHECK(namespaces_of(::getpid()).empty());
    CHECK_FALSE(link_exists(::getpid()));
    for (const auto& group : groups) CHECK_FALSE(fs::exists(group));
}

TEST_CASE("hosts that differ have each their own limits", "[needs_root]") {
    const HostSet hosts({.cpu = 0.5, .own_limits = {{.cpu = 1.0}, {}, {.memory_mb = 64}}}, 3);
    const auto quota_of = [&](std::int64_t host) {
        const auto& group = hosts.control_groups(host).front();
        return word_of(fs::exists(group / "cpu.max") ? group / "cpu.max" : group / "cpu.cfs_quota_us");
    };
    CHECK(quota_of(0) == "20000");
    CHECK(quota_of(1) == "10000");
    CHECK(quota_of(2) == "10000");
    const auto limited = [&](std::int64_t host) {
        for (const auto& group : hosts.control_groups(host))
            for (const auto* file : {"memory.max", "memory.limit_in_bytes"})
                if (word_of(group / file) == "64000000") return true;
        return false;
    };
    CHECK_FALSE(limited(0));
    CHECK(limited(2));
}

TEST_CASE("where a program is missing no half of the hosts is left", "[needs_root]") {
    const convoy::test::EnvironmentVariable path("PATH", "/nowhere");
    CHECK_THROWS_WITH(HostSet({.cpu = 0.5}, 1), Catch::Contains("install iproute2"));
    for (const auto* controller : {"cpu", "cpu,cpuacct", ""})
        CHECK_FALSE(fs::exists(fs::path("/sys/fs/cgroup") / controller / (host_set_name(::getpid()) + "-0")));
}

TEST_CASE("what an owner left that was killed is removed by the next", "[needs_root]") {
    const pid_t killed = ::fork();
    if (killed == 0) {
        new HostSet({.cpu = 0.5}, 1);
        ::kill(::getpid(), SIGKILL);
    }
    // Until it is reaped its number is taken, and another test that runs beside this one lets its hosts be.
    siginfo_t end{};
    REQUIRE(::waitid(P_PID, static_cast<id_t>(killed), &end, WEXITED | WNOWAIT) == 0);
    REQUIRE(namespaces_of(killed).size() == 2);
    REQUIRE(link_exists(killed));
    REQUIRE(::waitpid(killed, nullptr, 0) == killed);
    const HostSet next({}, 1);
    CHECK(namespaces_of(killed).empty());
    CHECK_FALSE(link_exists(killed));
    CHECK(namespaces_of(::getpid()).size() == 2);
}
