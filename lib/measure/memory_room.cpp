#include "measure/memory_room.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

#include "base/resource_limit.hpp"
#include "measure/proc.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;

/// The first number of a file. Absent if there is no such file, or another word, such as "max".
std::optional<std::uint64_t> number_in(const fs::path& file) {
    std::ifstream in(file);
    std::uint64_t value = 0;
    if (!(in >> value)) return std::nullopt;
    return value;
}

/// The bytes of files in a group's cache. 0 if the group has no memory.stat.
std::uint64_t cached_in(const fs::path& group, std::string_view active, std::string_view inactive) {
    std::ifstream in(group / "memory.stat");
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    return parse_group_statistic(text, active).value_or(0) +
           parse_group_statistic(text, inactive).value_or(0);
}

/// The names of the files and keys of one version of control groups.
struct GroupFiles {
    const char *limit, *used, *active, *inactive;
};

GroupFiles files_of(int version) {
    if (version == 1)
        return {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_active_file", "total_inactive_file"};
    return {"memory.max", "memory.current", "active_file", "inactive_file"};
}

std::uint64_t difference(std::uint64_t a, std::uint64_t b) {
    return a > b ? a - b : 0;
}

MemoryRoom lesser(const std::optional<MemoryRoom>& a, const MemoryRoom& b) {
    return a && a->bytes <= b.bytes ? *a : b;
}

/// Pages of the address space and of the data of this process, in bytes.
struct AddressSpace {
    std::uint64_t size = 0, data = 0;
};

AddressSpace own_address_space() {
    std::istringstream text(read_proc("/proc/self/statm"));
    AddressSpace space;
    std::uint64_t other = 0;
    text >> space.size >> other >> other >> other >> other >> space.data;
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    return {space.size * page, space.data * page};
}

}  // namespace

std::vector<fs::path> parse_memory_groups(std::string_view own_groups, int version, const fs::path& mount) {
    std::istringstream lines{std::string(own_groups)};
    const std::string controllers = version == 1 ? "memory" : "";
    for (std::string line; std::getline(lines, line);) {
        const auto names = line.find(':');
        const auto path = line.find(':', names + 1);
        if (names == std::string::npos || path == std::string::npos) continue;
        if (line.substr(names + 1, path - names - 1) != controllers) continue;
        std::vector<fs::path> groups;
        auto inside = fs::path(line.substr(path + 1)).relative_path();
        for (; !inside.empty(); inside = inside.parent_path()) groups.push_back(mount / inside);
        groups.push_back(mount);
        return groups;
    }
    return {};
}

std::optional<MemoryRoom> group_room(const std::vector<fs::path>& groups, int version) {
    const auto files = files_of(version);
    // Version 1 says so for a group without a limit, rounded down to pages.
    constexpr auto unlimited = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / 2;
    std::optional<MemoryRoom> least;
    for (const auto& group : groups) {
        const auto limit = number_in(group / files.limit);
        const auto used = number_in(group / files.used);
        if (!limit || !used || *limit >= unlimited) continue;
        const auto cached = cached_in(group, files.active, files.inactive);
        least =
            lesser(least, {difference(*limit, difference(*used, cached)), (group / files.limit).string()});
    }
    return least;
}

MemoryRoom machine_room() {
    const MemoryRoom all{parse_memory_available(read_proc("/proc/meminfo")), "MemAvailable of /proc/meminfo"};
    const auto own_groups = read_proc("/proc/self/cgroup");
    const auto first = group_room(parse_memory_groups(own_groups, 1, "/sys/fs/cgroup/memory"), 1);
    const auto second = group_room(parse_memory_groups(own_groups, 2, "/sys/fs/cgroup"), 2);
    return lesser(second, lesser(first, all));
}

std::optional<MemoryRoom> process_room() {
    const auto space = own_address_space();
    std::optional<MemoryRoom> room;
    if (const auto limit = resource_limit(RLIMIT_AS))
        room = MemoryRoom{difference(*limit, space.size), "the limit of the address space (ulimit -v)"};
    if (const auto limit = resource_limit(RLIMIT_DATA))
        room = lesser(room, {difference(*limit, space.data), "the limit of the data segment (ulimit -d)"});
    return room;
}

}  // namespace convoy
