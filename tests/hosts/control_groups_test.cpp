#include "hosts/control_groups.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "base/temporary_folder.hpp"

using namespace convoy;

namespace {

constexpr auto first_mounts =
    "24 1 0:22 / /proc rw,nosuid - proc proc rw\n"
    "30 24 0:26 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "31 24 0:27 / /sys/fs/cgroup/memory rw,nosuid shared:10 - cgroup cgroup rw,memory\n"
    "32 24 0:28 / /sys/fs/cgroup/cpuset rw,nosuid - cgroup cgroup rw,cpuset\n"
    "33 24 0:29 / /sys/fs/cgroup/unified rw,nosuid - cgroup2 cgroup2 rw\n";

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

/// A folder that looks like version 2's top, for what can be seen without a kernel.
ControlGroupRoots second_root(const TemporaryFolder& folder, const std::string& controllers) {
    std::ofstream(folder / "cgroup.controllers") << controllers;
    std::ofstream(folder / "cgroup.subtree_control");
    return {.first = {}, .second = folder.path()};
}

}  // namespace

TEST_CASE("version 1: groups are made within the own group of each controller") {
    const auto roots = parse_control_group_roots(
        first_mounts, "9:name=systemd:/\n4:memory:/jobs/7\n3:cpuset:/\n2:cpu,cpuacct:/user.slice\n0::/\n");
    CHECK(roots.first ==
          std::map<std::string, std::filesystem::path>{{"cpu", "/sys/fs/cgroup/cpu,cpuacct/user.slice"},
                                                       {"memory", "/sys/fs/cgroup/memory/jobs/7"}});
    CHECK(roots.second == "/sys/fs/cgroup/unified");
}

TEST_CASE("version 1: a container's mount may show a part of the hierarchy") {
    const std::string mounts = "30 24 0:26 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n";
    CHECK(parse_control_group_roots(mounts, "2:cpu:/docker/abc/job\n").first.at("cpu") ==
          "/sys/fs/cgroup/cpu/job");
    CHECK(parse_control_group_roots(mounts, "2:cpu:/docker/abc\n").first.at("cpu") == "/sys/fs/cgroup/cpu");
    CHECK(parse_control_group_roots(mounts, "2:cpu:/elsewhere\n").first.at("cpu") == "/sys/fs/cgroup/cpu");
}

TEST_CASE("version 2: groups are made at the top") {
    const auto roots =
        parse_control_group_roots("30 24 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n",
                                  "0::/user.slice/session-1.scope\n");
    CHECK(roots == ControlGroupRoots{.first = {}, .second = "/sys/fs/cgroup"});
}

TEST_CASE("texts that are none of these have no control groups") {
    CHECK(parse_control_group_roots("", "") == ControlGroupRoots{});
    CHECK(parse_control_group_roots("a - b\n - \n1 2 3 4 5 - cgroup\n", "x\n:\n::") == ControlGroupRoots{});
}

TEST_CASE("limits are written as each version of control groups wants them") {
    const HostSpec cluster{.cpu = 0.35, .memory_mb = 2000};
    using Settings = std::vector<GroupSetting>;
    CHECK(group_settings(cluster, "cpu", 1) == Settings{{.file = "cpu.cfs_period_us", .value = "20000"},
                                                        {.file = "cpu.cfs_quota_us", .value = "7000"}});
    CHECK(group_settings(cluster, "cpu", 2) == Settings{{.file = "cpu.max", .value = "7000 20000"}});
    CHECK(group_settings(cluster, "memory", 1) ==
          Settings{{.file = "memory.limit_in_bytes", .value = "2000000000"},
                   {.file = "memory.memsw.limit_in_bytes", .value = "2000000000", .optional = true}});
    CHECK(group_settings(cluster, "memory", 2) ==
          Settings{{.file = "memory.max", .value = "2000000000"},
                   {.file = "memory.swap.max", .value = "0", .optional = true}});
    CHECK(group_settings({}, "cpu", 1).empty());
    CHECK(group_settings({}, "memory", 2).empty());
}

TEST_CASE("a machine without a controller is told so, with what to do") {
    const TemporaryFolder folder;
    const auto roots = second_root(folder, "cpuset hugetlb");
    CHECK_THROWS_WITH(
        make_control_groups(roots, {.cpu = 0.5}, "convoy-1-0"),
        "emulated hosts: this machine has no control group controller cpu; set cluster.cpu to null");
    CHECK_THROWS_WITH(make_control_groups({}, {.memory_mb = 64}, "convoy-1-0"),
                      Catch::Contains("controller memory; set cluster.memory_mb to null"));
    CHECK_THROWS_AS(make_control_groups({}, {.cpu = 0.5}, "convoy-1-0"), ClusterError);
    CHECK(make_control_groups(roots, {}, "convoy-1-0").empty());
}

TEST_CASE("the kernel's count of processes that it ended tells that memory was used up") {
    const TemporaryFolder folder;
    CHECK_FALSE(ran_out_of_memory({folder.path()}));
    std::ofstream(folder / "memory.events") << "low 0\nhigh 0\nmax 7\noom 0\noom_kill 0\noom_group_kill 0\n";
    CHECK_FALSE(ran_out_of_memory({folder.path()}));
    std::ofstream(folder / "memory.oom_control") << "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n";
    CHECK(ran_out_of_memory({folder.path()}));
}

TEST_CASE("version 2: a controller that groups do not have yet is given to them") {
    const TemporaryFolder folder;
    const auto roots = second_root(folder, "cpuset cpu memory");
    // No kernel fills the new group with its files, so that writing the limit fails.
    CHECK_THROWS_WITH(make_control_groups(roots, {.cpu = 0.5}, "convoy-1-0"),
                      Catch::Contains("cpu.max cannot be set"));
    CHECK(text_of(folder / "cgroup.subtree_control") == "+cpu");
    CHECK(std::filesystem::is_directory(folder / "convoy-1-0"));
    CHECK(remove_control_group(folder / "convoy-1-0"));
    CHECK(remove_control_group(folder / "convoy-1-0"));
}
