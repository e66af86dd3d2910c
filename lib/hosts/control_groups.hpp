#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/cluster_spec.hpp"

namespace convoy {

/// The folders in which control groups can be made on this machine (cgroups(7)).
struct ControlGroupRoots {
    /// Version 1: for each controller, the folder of this process's own group. So limits of this process also
    /// hold for the groups that it makes.
    std::map<std::string, std::filesystem::path> first;
    /// Version 2: the root folder. Only there may a group that has processes contain groups with controllers.
    std::optional<std::filesystem::path> second;
    bool operator==(const ControlGroupRoots&) const = default;
};

/// Finds the folders from the texts of /proc/self/mountinfo (mounts) and /proc/self/cgroup (own_groups), see
/// proc(5) and cgroups(7).
ControlGroupRoots parse_control_group_roots(std::string_view mounts, std::string_view own_groups);

/// A value for a file of a control group.
struct GroupSetting {
    std::string file, value;
    bool optional = false;  ///< ignored if the machine does not have this file
    bool operator==(const GroupSetting&) const = default;
};

/// The settings that give a group the limit of a host, for a controller ("cpu" or "memory") of version 1 or
/// 2. Empty if the host has no such limit.
std::vector<GroupSetting> group_settings(const HostSpec& host, const std::string& controller, int version);

/// Makes the groups for the limits of a host, all with this name: one for each controller in version 1, one
/// for all controllers in version 2. Returns their folders. The caller must remove them, also if this
/// function throws. Throws ClusterError if the machine lacks a controller, or if this process may not make a
/// group.
std::vector<std::filesystem::path> make_control_groups(const ControlGroupRoots& roots, const HostSpec& host,
                                                       const std::string& name);

/// All folders in which groups may have been made.
std::vector<std::filesystem::path> folders_of(const ControlGroupRoots& roots);

/// Whether the kernel ended a process of one of these groups because the memory limit was reached.
bool ran_out_of_memory(const std::vector<std::filesystem::path>& folders);

/// Ends the processes that are left in a group, and removes the group. Returns false if it still exists after
/// ten seconds.
bool remove_control_group(const std::filesystem::path& folder);

}  // namespace convoy
