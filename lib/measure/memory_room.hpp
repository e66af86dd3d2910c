#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

/// The memory that is left for more, and the limit that leaves no more.
struct MemoryRoom {
    std::uint64_t bytes = 0;
    std::string limit;  ///< "MemAvailable of /proc/meminfo", for instance
    bool operator==(const MemoryRoom&) const = default;
};

/// The folders of the group of a process and of all groups around it, the innermost first, in the hierarchy
/// of the memory controller. own_groups: the text of /proc/self/cgroup. version: 1 or 2. Empty if the process
/// has no such group.
std::vector<std::filesystem::path> parse_memory_groups(std::string_view own_groups, int version,
                                                       const std::filesystem::path& mount);

/// The room that control groups (cgroups(7)) leave: in each, the limit less what is in use and cannot be
/// taken back, as files in the cache can. The group with the least room counts. Absent if no group has a
/// limit.
std::optional<MemoryRoom> group_room(const std::vector<std::filesystem::path>& groups, int version);

/// The room for all processes of this machine together that run in the control group of this one. It is not
/// less than what there is: memory that could be swapped out or taken back counts as room.
MemoryRoom machine_room();

/// The room in the address space of this process: RLIMIT_AS and RLIMIT_DATA, less what the process has.
/// Absent if neither is set. A process that this one starts has about the same room.
std::optional<MemoryRoom> process_room();

}  // namespace convoy
