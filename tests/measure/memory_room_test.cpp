#include "measure/memory_room.hpp"

#include <catch2/catch.hpp>

#include "base/temporary_folder.hpp"

using namespace convoy;
using Folders = std::vector<std::filesystem::path>;

TEST_CASE("the groups of a process are found from its own up to the top") {
    const std::string first = "9:name=systemd:/\n4:memory:/a/b\n0::/\n";
    CHECK(parse_memory_groups(first, 1, "/m") == Folders{"/m/a/b", "/m/a", "/m"});
    CHECK(parse_memory_groups(first, 2, "/m") == Folders{"/m"});
    CHECK(parse_memory_groups("0::/user.slice/x\n", 2, "/m") ==
          Folders{"/m/user.slice/x", "/m/user.slice", "/m"});
    CHECK(parse_memory_groups("0::/x\n", 1, "/m").empty());
}

TEST_CASE("the group with the least room counts, and what a cache holds is room") {
    const TemporaryFolder folder;
    const Folders groups{folder / "a/b", folder / "a", folder.path()};
    CHECK_FALSE(group_room(groups, 1));
    const auto write = [&](const std::string& group, const std::string& limit, const std::string& used) {
        folder.write(group + "memory.limit_in_bytes", limit);
        folder.write(group + "memory.usage_in_bytes", used);
    };
    write("", "9223372036854771712\n", "500\n");
    CHECK_FALSE(group_room(groups, 1));
    write("a/", "1000\n", "700\n");
    folder.write("a/memory.stat", "cache 1\ntotal_inactive_file 50\ntotal_active_file 40\n");
    CHECK(group_room(groups, 1) == MemoryRoom{390, (folder / "a/memory.limit_in_bytes").string()});
    write("a/b/", "2000\n", "1900\n");
    CHECK(group_room(groups, 1)->bytes == 100);
    write("a/b/", "2000\n", "2100\n");
    CHECK(group_room(groups, 1)->bytes == 0);
}

TEST_CASE("a group of version 2 without a limit says max") {
    const TemporaryFolder folder;
    folder.write("memory.max", "max\n");
    folder.write("memory.current", "10\n");
    CHECK_FALSE(group_room({folder.path()}, 2));
    folder.write("memory.max", "100\n");
    CHECK(group_room({folder.path()}, 2)->bytes == 90);
    folder.write("memory.stat", "anon 5\ninactive_file 3\nactive_file 2\n");
    CHECK(group_room({folder.path()}, 2)->bytes == 95);
}

TEST_CASE("this machine has room") {
    const auto room = machine_room();
    CHECK(room.bytes > 0);
    CHECK_FALSE(room.limit.empty());
}
