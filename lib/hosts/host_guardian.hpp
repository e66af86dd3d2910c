#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "hosts/host_plan.hpp"
#include "spec/cluster_spec.hpp"

namespace convoy {

/// What a launcher must know of the hosts that its guardian made.
struct GuardedHosts {
    HostPlan plan;
    std::vector<std::vector<std::filesystem::path>> control_groups;  ///< of each host, as folders
    bool operator==(const GuardedHosts&) const = default;
};

/// What the guardian says, each on one line: that the hosts are there, or why they are not; and, once they
/// are gone, what could not be removed.
std::string hosts_line(const GuardedHosts& hosts);
std::string problem_line(const std::exception& problem);
std::string leftovers_line(const std::vector<std::string>& leftovers);
/// The way back. Throw the Error that a line tells, or DataError where it is no such line.
GuardedHosts parse_hosts_line(const std::string& line);
std::vector<std::string> parse_leftovers_line(const std::string& line);

/// The guardian's work, in a process of its own that outlives the launcher: makes hosts, says so on `out`,
/// and removes them when `in` is at its end, which it is when the launcher has closed it or is gone, however
/// it ended. Ignores the signals that end programs. Returns the process's exit code.
int guard_hosts(const ClusterSpec& cluster, std::int64_t hosts, int in, int out);

}  // namespace convoy
