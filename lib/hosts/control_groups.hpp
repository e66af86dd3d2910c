#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/cluster_spec.hpp"

namespace convoy {

/// Where control groups can be made on this machine (cgroups(7)).
struct ControlGroupRoots {
    /// Version 1: by controller, the folder of the group that this process is in, so that what limits it
    /// limits its groups too.
    std::map<std::string, std::filesystem::path> first;
    /// Version 2: the top, as only there may a group that has processes have groups with controllers.
    std::optional<std::filesystem::path> second;
    bool operator==(const ControlGroupRoots&) const = default;
};

/// From the texts of /proc/self/mountinfo and /proc/self/cgroup (proc(5), cgroups(7)).
ControlGroupRoots parse_control_group_roots(std::string_view mounts, std::string_view own_groups);

/// A value for a file of a control group.
struct GroupSetting {
    std::string file, value;
    bool optional = false;  ///< only where the machine has that file
    bool operator==(const GroupSetting&) const = default;
};

/// What limits a group to a host's share of a controller ("cpu" or "memory"), in version 1 or 2. Nothing
/// where the host has no such limit.
std::vector<GroupSetting> group_settings(const HostSpec& host, const std::string& controller, int version);

/// Makes the groups that the host's limits ask for, each called name: one for each controller in version
/// 1, one for all in version 2. Returns their folders; whoever calls removes them, also where this throws.
/// Throws ClusterError where the machine lacks a controller, or will not let this process make a group of it.
std::vector<std::filesystem::path> make_control_groups(const ControlGroupRoots& roots, const HostSpec& host,
                                                       const std::string& name);

/// Every folder in which groups may have been made.
std::vector<std::filesystem::path> folders_of(const ControlGroupRoots& roots);

/// Whether the kernel ended a process of one of these groups because their memory was used up.
bool ran_out_of_memory(const std::vector<std::filesystem::path>& folders);

/// Ends the processes that are left in a group and removes it. False where it is still there after ten
/// seconds.
bool remove_control_group(const std::filesystem::path& folder);

}  // namespace convoy
