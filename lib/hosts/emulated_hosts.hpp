#pragma once

#include <sys/types.h>

#include <boost/asio/ip/address.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "hosts/child_process.hpp"
#include "hosts/host_guardian.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// The hosts of a run as its launcher has them. They are made by a guardian, a process in a session of its
/// own that removes them when this object goes, and also when this process is killed: it reads a pipe that
/// only this process holds the other end of.
class EmulatedHosts {
  public:
    /// guardian: the program that calls guard_hosts with standard input and output, and its first arguments.
    /// Throws what keeps the hosts from being made, see HostSet.
    EmulatedHosts(const std::vector<std::string>& guardian, const ClusterSpec& cluster, std::int64_t hosts);
    EmulatedHosts(const EmulatedHosts&) = delete;
    EmulatedHosts& operator=(const EmulatedHosts&) = delete;
    EmulatedHosts(EmulatedHosts&&) = delete;
    EmulatedHosts& operator=(EmulatedHosts&&) = delete;
    ~EmulatedHosts();

    [[nodiscard]] const HostPlan& plan() const { return hosts_.plan; }
    /// How a process of this one's gets onto a host.
    [[nodiscard]] const HostEntrance& entrance(std::int64_t host) const {
        return entrances_.at(static_cast<std::size_t>(host));
    }
    [[nodiscard]] const std::vector<std::filesystem::path>& control_groups(std::int64_t host) const {
        return hosts_.control_groups.at(static_cast<std::size_t>(host));
    }
    /// Removes the hosts, on which no process is left, and returns what could not be removed, in words.
    std::vector<std::string> remove();

  private:
    void start(const std::vector<std::string>& command);
    void end();
    std::string next_line(std::chrono::milliseconds deadline);

    pid_t guardian_ = -1;
    Descriptor to_guardian_, from_guardian_;
    GuardedHosts hosts_;
    std::vector<HostEntrance> entrances_;
};

/// The limits of a cluster as words of a command line, as in --hosts 5 --link-mbit 1000; where hosts differ,
/// as in --cpu 1,0.5, with nothing between two commas for a host without that limit.
std::vector<std::string> cluster_arguments(const ClusterSpec& cluster, std::int64_t hosts);

/// Cores that the nodes of an emulated host have together on a machine of so many cores. The machine's cores
/// are dealt out to all hosts in equal shares; what a host may not use, by its limit, goes to the others.
double cores_of_host(const ClusterSpec& cluster, std::int64_t host, std::int64_t hosts, int cores);

/// The same for the host of a rank. The spec has a cluster.
double cores_of_host(const ExperimentSpec& spec, std::int64_t rank, int cores);

/// Compute threads of a rank's node where the spec does not say: its share of its host's cores, at least one.
/// The spec has a cluster.
int threads_on_host(const ExperimentSpec& spec, std::int64_t rank, int cores);

}  // namespace convoy
