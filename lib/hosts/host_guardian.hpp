#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "hosts/host_plan.hpp"
#include "spec/cluster_spec.hpp"

namespace convoy {

/// The hosts that a guardian made, for its launcher.
struct GuardedHosts {
    HostPlan plan;
    std::vector<std::vector<std::filesystem::path>> control_groups;  ///< folders of each host's groups
    bool operator==(const GuardedHosts&) const = default;
};

/// The messages of the guardian, one line each: the hosts exist (hosts_line), or the reason why they could
/// not be made (problem_line). After their removal: the parts that could not be removed (leftovers_line).
std::string hosts_line(const GuardedHosts& hosts);
std::string problem_line(const std::exception& problem);
std::string leftovers_line(const std::vector<std::string>& leftovers);
/// Parse these lines. Both throw the Error of a problem_line, or DataError if the line is of no such kind.
GuardedHosts parse_hosts_line(const std::string& line);
std::vector<std::string> parse_leftovers_line(const std::string& line);

/// The work of the guardian, in a process of its own that outlives the launcher. It makes hosts, writes a
/// line to `out`, and removes the hosts at the end of `in`. `in` ends when the launcher closes it or ends in
/// any way. It ignores the signals that end programs. Returns the exit code of the process.
int guard_hosts(const ClusterSpec& cluster, std::int64_t hosts, int in, int out);

}  // namespace convoy
